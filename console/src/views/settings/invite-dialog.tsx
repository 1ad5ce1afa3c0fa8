import { useQueryClient } from '@tanstack/react-query'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { FailureNotice } from '../../components/notice.tsx'
import { showToast } from '../../components/toast.ts'
import { invite, refreshMembers } from '../../data/members.ts'
import type { Role } from '../../data/organization.ts'
import { AuthError } from '../../session/auth.ts'
import { useSession } from '../../session/session.tsx'
import { ResendVerification } from '../entry/resend-verification.tsx'
import { roleHints } from './role-hints.ts'

const needsConfirming = (error: unknown): boolean => error instanceof AuthError && error.code === 'EMAIL_NOT_VERIFIED'

/** A person must confirm their own email address before they can invite others. */
const ConfirmFirst = ({ error }: { error: unknown }) => {
  const { user } = useSession()
  return (
    <FailureNotice error={error}>
      <ResendVerification email={user.email} />
    </FailureNotice>
  )
}

/** Invites a person to the organization by email, with a role. */
export const InviteDialog = ({ own, onClose }: { own: Role; onClose: () => void }) => {
  const session = useSession()
  const queries = useQueryClient()
  const offered = (['member', 'admin', 'owner'] as const).filter((one) => one !== 'owner' || own === 'owner')
  const form = useContractForm({
    initial: { email: '', role: 'member' as Role },
    toBody: ({ email, role }) => ({ email: email.trim(), role }),
    submit: async (body) => {
      await invite(session, body)
      showToast({ tone: 'good', title: `${body.email} invited`, text: 'The link in the email works for two days.' })
      onClose()
      await refreshMembers(queries, session)
    },
  })
  return (
    <Dialog isOpen title={`Invite to ${session.organization.name}`} onClose={onClose} size="small">
      <Form
        form={form}
        submit="Send invitation"
        onCancel={onClose}
        renderFailure={(error) =>
          needsConfirming(error) ? <ConfirmFirst error={error} /> : <FailureNotice error={error} />
        }
      >
        <form.Text label="Email" name="email" type="email" required autoComplete="off" maxLength={254} />
        <form.Radio
          label="Role"
          name="role"
          options={offered.map((value) => ({ value, name: value, hint: roleHints[value] }))}
        />
      </Form>
    </Dialog>
  )
}
