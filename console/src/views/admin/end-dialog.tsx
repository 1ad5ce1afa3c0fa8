import type { AdministeredOrganization } from '@noema/contracts/admin.ts'
import type { OrganizationContents } from '@noema/contracts/endings.ts'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { DialogForm } from '../../components/dialog-form.tsx'
import { TextArea, TextInput } from '../../components/field.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { showToast } from '../../components/toast.ts'
import { organizationEndQuery, useAdminRefresh } from '../../data/admin.ts'
import { useSession } from '../../session/session.tsx'

const names: readonly (readonly [keyof OrganizationContents, one: string, many: string])[] = [
  ['brains', 'Brain', 'Brains'],
  ['records', 'record', 'records'],
  ['statements', 'statement', 'statements'],
  ['documents', 'document', 'documents'],
  ['agents', 'agent', 'agents'],
  ['runs', 'run', 'runs'],
  ['openRuns', 'run that goes on', 'runs that go on'],
  ['managementKeys', 'management key', 'management keys'],
  ['brainKeys', 'Brain key', 'Brain keys'],
  ['webhooks', 'webhook', 'webhooks'],
  ['members', 'member', 'members'],
]

const Taken = ({ takes }: { takes: OrganizationContents }) => {
  const listed = names.filter(([name]) => takes[name] > 0)
  return (
    <ul className="taken">
      {listed.map(([name, one, many]) => (
        <li key={name}>
          <strong>{takes[name].toLocaleString('en')}</strong> {takes[name] === 1 ? one : many}
        </li>
      ))}
    </ul>
  )
}

type EndDialogProps = { organization: AdministeredOrganization; onClose: () => void }

const maxReasonLength = 2_000

const useEnd = ({ id, name }: AdministeredOrganization) => {
  const session = useSession()
  const refresh = useAdminRefresh(session)
  const navigate = useNavigate()
  return async ({ confirm, reason }: { confirm: string; reason: string }) => {
    await session.client.admin.organizations.end(id, { confirm, ...(reason && { reason }) })
    showToast({ tone: 'good', title: `${name} has ended`, text: 'What it held is erased in the background.' })
    await navigate({ to: '/admin/organizations' })
    await refresh()
  }
}

/** Ends an organization: tells what that takes, and asks for its name. */
export const EndDialog = ({ organization, onClose }: EndDialogProps) => {
  const { data: preview, error: unread } = useQuery(organizationEndQuery(useSession(), organization.id))
  const [confirm, setConfirm] = useState('')
  const [reason, setReason] = useState('')
  const endOrganization = useEnd(organization)
  const isHeld = (preview?.heldBrains ?? 0) > 0
  const isReady = preview !== undefined && !isHeld && confirm === organization.name
  return (
    <Dialog isOpen title={`End ${organization.name}`} onClose={onClose}>
      <DialogForm
        submit="End organization"
        tone="danger"
        isReady={isReady}
        onSubmit={() => endOrganization({ confirm, reason })}
        onClose={onClose}
      >
        <p>This is erased for good:</p>
        {preview ? <Taken takes={preview.takes} /> : !unread && <Skeleton lines={3} />}
        <FailureNotice error={unread} />
        {isHeld && (
          <Notice tone="warning" title="A hold keeps it">
            <p>{preview?.heldBrains} of its Brains have a hold. Its members release it first.</p>
          </Notice>
        )}
        <TextArea
          label="Reason"
          hint="Mailed to its owners, and kept in the events of administrators."
          rows={3}
          maxLength={maxReasonLength}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
        <TextInput
          label={`Type ${organization.name} to go on`}
          value={confirm}
          onChange={({ target }) => setConfirm(target.value)}
          autoComplete="off"
          spellCheck={false}
          isMono
        />
      </DialogForm>
    </Dialog>
  )
}
