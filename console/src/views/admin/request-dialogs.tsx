import type { AccessRequest } from '@noema/contracts/access-requests.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { showToast } from '../../components/toast.ts'
import { type Tier, useAdminRefresh } from '../../data/admin.ts'
import { call } from '../../session/auth.ts'
import { useSession } from '../../session/session.tsx'
import { TierChoice } from './tier-choice.tsx'

type DialogProps = { request: AccessRequest; onClose: () => void }

const inviteTo = (organizationId: string, email: string) =>
  call('/organization/invite-member', { email, role: 'member', organizationId })

const ownOrganization = { value: '', name: 'None: they get their own' }

/** Approves a request for access. */
export const ApproveDialog = ({ request, onClose }: DialogProps) => {
  const session = useSession()
  const refresh = useAdminRefresh(session)
  const form = useContractForm({
    initial: { tier: 'business' as Tier, organization: '' },
    contract: async () => (await import('@noema/contracts/access-requests.ts')).approveAccessRequest.body,
    toBody: ({ tier }) => ({ tier }),
    submit: async (body, { organization }) => {
      if (organization !== '') await inviteTo(organization, request.email)
      await session.client.admin.accessRequests.approve(request.id, body)
      showToast({ tone: 'good', title: 'Approved', text: `An email is on its way to ${request.email}.` })
      onClose()
      await refresh()
    },
  })
  const own = request.account?.organization
  return (
    <Dialog isOpen title={`Approve ${request.email}`} onClose={onClose} size="small">
      <Form form={form} submit="Approve" onCancel={onClose}>
        <p>
          {own
            ? `This address already has an account. Its organization “${own.name}” moves from the ${own.tier} tier to the tier that you choose.`
            : 'We email a sign-up link to this address. It works once, for 30 days, and gives the tier to their organization.'}
        </p>
        <TierChoice form={form} />
        <form.Select
          label="Invite to one of your organizations"
          name="organization"
          hint="As a member, with a separate email. You must be its owner or admin."
          options={[ownOrganization, ...session.organizations.map(({ id, name }) => ({ value: id, name }))]}
        />
      </Form>
    </Dialog>
  )
}

/** Refuses a request for access, with a reason. */
export const RefuseDialog = ({ request, onClose }: DialogProps) => {
  const session = useSession()
  const refresh = useAdminRefresh(session)
  const form = useContractForm({
    initial: { reason: '', mail: true },
    contract: async () => (await import('@noema/contracts/access-requests.ts')).refuseAccessRequest.body,
    toBody: (values) => values,
    submit: async (body) => {
      await session.client.admin.accessRequests.refuse(request.id, body)
      const text = body.mail ? `The reason is on its way to ${request.email}.` : 'No email was sent.'
      showToast({ tone: 'good', title: 'Refused', text })
      onClose()
      await refresh()
    },
  })
  return (
    <Dialog isOpen title={`Refuse ${request.email}`} onClose={onClose} size="small">
      <Form form={form} submit="Refuse" tone="danger" onCancel={onClose}>
        <form.TextArea label="Reason" name="reason" rows={4} required />
        <form.Checkbox label="Email the reason to this address" name="mail" />
      </Form>
    </Dialog>
  )
}
