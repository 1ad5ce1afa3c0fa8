import { ConfirmDialog } from '../../components/confirm-dialog.tsx'

type DeleteUsedProps = {
  name: string
  sort: 'connector' | 'provider'
  /** What agents have of it. */
  parts: 'tools' | 'models'
  /** What is erased with it. */
  erased: string
  /** How many agents have it. */
  users: number
  onDelete: () => Promise<unknown>
  onClose: () => void
}

/** Asks before something goes that agents have parts of, and says what that does to them. */
export const DeleteUsed = ({ name, sort, parts, erased, users, onDelete, onClose }: DeleteUsedProps) => (
  <ConfirmDialog isOpen title={`Delete ${name}?`} confirm={`Delete ${sort}`} onConfirm={onDelete} onClose={onClose}>
    <p>{erased}</p>
    {users > 0 && (
      <p>
        {users === 1 ? `One agent has its ${parts}` : `${users} agents have its ${parts}`}: their runs fail at their
        next step.
      </p>
    )}
  </ConfirmDialog>
)
