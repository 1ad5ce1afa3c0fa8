import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { RadioGroup } from '../../components/choices.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { showToast } from '../../components/toast.ts'
import { invite, refreshMembers } from '../../data/members.ts'
import type { Role } from '../../data/organization.ts'
import { AuthError } from '../../session/auth.ts'
import { useSession } from '../../session/session.tsx'
import { ResendVerification } from '../entry/resend-verification.tsx'
import { roleHints } from './role-hints.ts'

const needsConfirming = (error: unknown): boolean => error instanceof AuthError && error.code === 'EMAIL_NOT_VERIFIED'

/** Whoever has not confirmed their own address invites nobody. */
const ConfirmFirst = ({ error }: { error: unknown }) => {
  const { user } = useSession()
  return (
    <FailureNotice error={error}>
      <ResendVerification email={user.email} />
    </FailureNotice>
  )
}

/** Invites somebody by their address, in one role. */
export const InviteDialog = ({ own, onClose }: { own: Role; onClose: () => void }) => {
  const session = useSession()
  const queries = useQueryClient()
  const [role, setRole] = useState<Role>('member')
  const offered = (['member', 'admin', 'owner'] as const).filter((one) => one !== 'owner' || own === 'owner')
  const send = async (form: FormData) => {
    const email = textIn(form, 'email').trim()
    await invite(session, { email, role })
    showToast({ tone: 'good', title: `${email} is invited`, text: 'The link in the mail works for two days.' })
    onClose()
    await refreshMembers(queries, session)
  }
  return (
    <Dialog isOpen title={`Invite to ${session.organization.name}`} onClose={onClose} size="small">
      <Form
        submit="Send invitation"
        onSubmit={send}
        aside={<Button onClick={onClose}>Cancel</Button>}
        failure={(error) => (needsConfirming(error) ? <ConfirmFirst error={error} /> : <FailureNotice error={error} />)}
      >
        <TextInput label="Email" name="email" type="email" required autoComplete="off" maxLength={254} />
        <RadioGroup
          label="Role"
          options={offered.map((value) => ({ value, name: value, hint: roleHints[value] }))}
          value={role}
          onChange={setRole}
        />
      </Form>
    </Dialog>
  )
}
