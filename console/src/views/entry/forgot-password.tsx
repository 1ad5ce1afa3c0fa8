import { useState } from 'react'
import { Link } from '../../address.tsx'
import { TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { requestPasswordReset } from '../../session/entry-calls.ts'
import { EntryPage } from './entry-page.tsx'

export const ForgotPassword = () => {
  const [sentTo, setSentTo] = useState<string>()
  const submit = async (form: FormData) => {
    await requestPasswordReset(textIn(form, 'email'))
    setSentTo(textIn(form, 'email'))
  }
  const back = <Link to="/sign-in">Back to sign in</Link>
  return (
    <EntryPage title="Choose a new password" lead={sentTo ? undefined : 'We will mail you a link to choose one.'}>
      {sentTo ? (
        <>
          <Notice tone="good" title="Look at your mail">
            <p>
              If <strong>{sentTo}</strong> has an account, a link that works for one hour is on its way. Where no mail
              server is set up, it is in the service’s log.
            </p>
          </Notice>
          {back}
        </>
      ) : (
        <Form submit="Send the link" onSubmit={submit} aside={back}>
          <TextInput label="Email" name="email" type="email" autoComplete="username" required />
        </Form>
      )}
    </EntryPage>
  )
}
