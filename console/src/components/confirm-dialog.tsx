import { type ReactNode, useState } from 'react'
import { Dialog } from './dialog.tsx'
import { DialogForm } from './dialog-form.tsx'
import { TextInput } from './field.tsx'

type ConfirmDialogProps = {
  isOpen: boolean
  title: string
  /** What the button says: the act, not "OK". */
  confirm: string
  tone?: 'danger' | 'primary'
  /** What must be typed first, for what destroys much: the name of what goes. */
  typed?: string
  onConfirm: () => Promise<unknown>
  onClose: () => void
  /** What happens, and whether it can be taken back. */
  children: ReactNode
}

const Question = ({ confirm, tone = 'danger', typed, onConfirm, onClose, children }: ConfirmDialogProps) => {
  const [text, setText] = useState('')
  const act = async () => {
    await onConfirm()
    onClose()
  }
  const isReady = typed === undefined || text === typed
  return (
    <DialogForm submit={confirm} tone={tone} isReady={isReady} onSubmit={act} onClose={onClose}>
      <div className="dialog-text">{children}</div>
      {typed !== undefined && (
        <TextInput
          label={`Type ${typed} to go on`}
          value={text}
          onChange={({ target }) => setText(target.value)}
          autoComplete="off"
          spellCheck={false}
          isMono
        />
      )}
    </DialogForm>
  )
}

/** Asks once more before an act that cannot be taken back; waits for it, and shows how it failed. */
export const ConfirmDialog = (props: ConfirmDialogProps) => (
  <Dialog isOpen={props.isOpen} title={props.title} onClose={props.onClose} size="small" isForgetful>
    <Question {...props} />
  </Dialog>
)
