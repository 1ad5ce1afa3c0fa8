import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { showToast } from '../../components/toast.ts'
import { deletionQuery, type Role } from '../../data/organization.ts'
import { useSession } from '../../session/session.tsx'
import { Contents } from './contents.tsx'

/** The holds that prevent the deletion. */
const Held = ({ handles }: { handles: readonly string[] }) => (
  <Notice tone="warning" title="A hold prevents the deletion">
    <p>
      Release it first in{' '}
      {handles.map((handle, index) => (
        <span key={handle}>
          {index > 0 && ', '}
          <Link to="/brains/$handle" params={{ handle }}>
            {handle}
          </Link>
        </span>
      ))}
      .
    </p>
  </Notice>
)

const EndDialog = ({ onClose }: { onClose: () => void }) => {
  const session = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery(deletionQuery(session))
  const title = `Delete ${session.organization.name}?`
  if (!data || data.heldBrains.length > 0)
    return (
      <Dialog isOpen title={title} onClose={onClose} size="small">
        {error ? <FailureNotice error={error} onRetry={() => void refetch()} /> : !data && <Skeleton lines={8} />}
        {data && <Held handles={data.heldBrains} />}
      </Dialog>
    )
  const { name } = data.organization
  const end = async () => {
    await session.client.organization.delete({ confirm: name })
    showToast({
      tone: 'good',
      title: `${name} deleted`,
      text: 'All access has ended. Its data is being erased in the background.',
    })
    await navigate({ to: '/' })
    await queries.invalidateQueries({ queryKey: ['whoami'] })
  }
  return (
    <ConfirmDialog isOpen title={title} confirm="Delete organization" typed={name} onConfirm={end} onClose={onClose}>
      <p>
        All access ends with the next request, runs are canceled, and all of this is erased permanently. This cannot be
        undone.
      </p>
      <Contents takes={data.takes} />
    </ConfirmDialog>
  )
}

/** Deletes the organization, after a preview and a confirmation by its name. */
export const OrganizationEnd = ({ role }: { role: Role | null }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <Panel title="Delete organization">
      <p>
        Deletes the organization with all its Brains, keys, agents and runs. You see everything that will be deleted
        before you confirm. Export it first.
      </p>
      {role === 'owner' ? (
        <div className="actions">
          <Button tone="danger" onClick={() => setOpen(true)}>
            Delete organization…
          </Button>
        </div>
      ) : (
        <p className="muted">Only an owner can delete it.</p>
      )}
      {isOpen && <EndDialog onClose={() => setOpen(false)} />}
    </Panel>
  )
}
