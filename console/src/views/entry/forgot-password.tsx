import { useState } from 'react'
import { Link } from '../../address.tsx'
import { TextInput, textIn } from '../../components/field.tsx'
import { Notice } from '../../components/notice.tsx'
import { requestPasswordReset } from '../../session/entry-calls.ts'
import { EntryForm } from './entry-form.tsx'
import { EntryPage } from './entry-page.tsx'

export const ForgotPassword = () => {
  const [sentTo, setSentTo] = useState<string>()
  const submit = async (form: FormData) => {
    await requestPasswordReset(textIn(form, 'email'))
    setSentTo(textIn(form, 'email'))
  }
  const back = <Link to="/sign-in">Back to sign in</Link>
  return (
    <EntryPage title="Set a new password" lead={sentTo ? undefined : 'We will email you a link to set one.'}>
      {sentTo ? (
        <>
          <Notice tone="good" title="Check your email">
            <p>
              If <strong>{sentTo}</strong> has an account, we sent a link that works for one hour. If no mail server is
              set up, the link is in the service’s log.
            </p>
          </Notice>
          {back}
        </>
      ) : (
        <EntryForm submit="Send the link" onSubmit={submit} aside={back}>
          <TextInput label="Email" name="email" type="email" autoComplete="username" required />
        </EntryForm>
      )}
    </EntryPage>
  )
}
