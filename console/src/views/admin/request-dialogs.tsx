import type { AccessRequest } from '@noema/contracts/access-requests.ts'
import { useState } from 'react'
import { Checkbox } from '../../components/choices.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { DialogForm } from '../../components/dialog-form.tsx'
import { Select, TextArea } from '../../components/field.tsx'
import { showToast } from '../../components/toast.ts'
import { type Tier, useAdminRefresh } from '../../data/admin.ts'
import { call } from '../../session/auth.ts'
import { useSession } from '../../session/session.tsx'
import { TierChoice } from './tier-choice.tsx'

type DialogProps = { request: AccessRequest; onClose: () => void }

const inviteTo = (organizationId: string, email: string) =>
  call('/organization/invite-member', { email, role: 'member', organizationId })

const nowhere = { value: '', name: 'None: they have their own' }

/** Lets somebody in. */
export const ApproveDialog = ({ request, onClose }: DialogProps) => {
  const session = useSession()
  const refresh = useAdminRefresh(session)
  const [tier, setTier] = useState<Tier>('business')
  const [joined, setJoined] = useState('')
  const save = async () => {
    if (joined !== '') await inviteTo(joined, request.email)
    await session.client.admin.accessRequests.approve(request.id, { tier })
    showToast({ tone: 'good', title: 'Approved', text: `${request.email} is mailed.` })
    onClose()
    await refresh()
  }
  const own = request.account?.organization
  return (
    <Dialog isOpen title={`Approve ${request.email}`} onClose={onClose} size="small">
      <DialogForm submit="Approve" onSubmit={save} onClose={onClose}>
        <p>
          {own
            ? `An account has this address already. Its organization “${own.name}” is on the tier ${own.tier}, and gets the one that you choose.`
            : 'The address is mailed a link to sign up with. It works once, for 30 days, and gives the tier to their organization.'}
        </p>
        <TierChoice value={tier} onChange={setTier} />
        <Select
          label="Invite to an organization of yours"
          hint="As a member, by a mail of its own. Needs you to be its owner or admin."
          options={[nowhere, ...session.organizations.map(({ id, name }) => ({ value: id, name }))]}
          value={joined}
          onChange={setJoined}
        />
      </DialogForm>
    </Dialog>
  )
}

const maxReasonLength = 2_000

/** Keeps somebody out, with a reason. */
export const RefuseDialog = ({ request, onClose }: DialogProps) => {
  const session = useSession()
  const refresh = useAdminRefresh(session)
  const [reason, setReason] = useState('')
  const [mail, setMail] = useState(true)
  const save = async () => {
    await session.client.admin.accessRequests.refuse(request.id, { reason, mail })
    showToast({ tone: 'good', title: 'Refused', text: mail ? `${request.email} is mailed why.` : 'Nobody is told.' })
    onClose()
    await refresh()
  }
  return (
    <Dialog isOpen title={`Refuse ${request.email}`} onClose={onClose} size="small">
      <DialogForm submit="Refuse" tone="danger" onSubmit={save} onClose={onClose}>
        <TextArea
          label="Reason"
          rows={4}
          required
          maxLength={maxReasonLength}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
        <Checkbox label="Mail the reason to the address" checked={mail} onChange={setMail} />
      </DialogForm>
    </Dialog>
  )
}
