import type { AccessRequest } from '@noema/contracts/access-requests.ts'
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/choices.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Select, TextArea } from '../../components/field.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { showToast } from '../../components/toast.ts'
import { useAction } from '../../components/use-action.ts'
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
  const { run, isRunning, error } = useAction(async () => {
    if (joined !== '') await inviteTo(joined, request.email)
    await session.client.admin.accessRequests.approve(request.id, { tier })
    showToast({ tone: 'good', title: 'Approved', text: `${request.email} is mailed.` })
    onClose()
    await refresh()
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (!isRunning) void run()
  }
  const own = request.account?.organization
  return (
    <Dialog isOpen title={`Approve ${request.email}`} onClose={onClose} size="small">
      <form className="form" onSubmit={send}>
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
        <FailureNotice error={error} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" isBusy={isRunning}>
            Approve
          </Button>
        </div>
      </form>
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
  const { run, isRunning, error } = useAction(async () => {
    await session.client.admin.accessRequests.refuse(request.id, { reason, mail })
    showToast({ tone: 'good', title: 'Refused', text: mail ? `${request.email} is mailed why.` : 'Nobody is told.' })
    onClose()
    await refresh()
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (!isRunning) void run()
  }
  return (
    <Dialog isOpen title={`Refuse ${request.email}`} onClose={onClose} size="small">
      <form className="form" onSubmit={send}>
        <TextArea
          label="Reason"
          rows={4}
          required
          maxLength={maxReasonLength}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
        <Checkbox label="Mail the reason to the address" checked={mail} onChange={setMail} />
        <FailureNotice error={error} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="danger" isBusy={isRunning}>
            Refuse
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
