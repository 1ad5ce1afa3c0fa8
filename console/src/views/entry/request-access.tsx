import { useState } from 'react'
import { Link } from '../../address.tsx'
import { TextArea, TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { requestAccess } from '../../session/entry-calls.ts'
import { EntryPage } from './entry-page.tsx'

const maxMessageLength = 2_000

/** Asks the administrators of the service for access. */
export const RequestAccess = () => {
  const [email, setEmail] = useState<string>()
  const submit = async (form: FormData) => {
    await requestAccess({ email: textIn(form, 'email'), message: textIn(form, 'message') })
    setEmail(textIn(form, 'email'))
  }
  const back = <Link to="/sign-in">Back to sign in</Link>
  return (
    <EntryPage
      title="Ask for access"
      lead={email === undefined ? 'An administrator of this service reads it and answers by mail.' : undefined}
    >
      {email === undefined ? (
        <Form submit="Ask for access" onSubmit={submit} aside={back}>
          <TextInput label="Email" name="email" type="email" autoComplete="email" required maxLength={254} />
          <TextArea label="What you want to use it for" name="message" rows={4} maxLength={maxMessageLength} />
        </Form>
      ) : (
        <>
          <Notice tone="good" title="Your request is with the administrators">
            <p>
              The answer comes to <strong>{email}</strong>.
            </p>
          </Notice>
          {back}
        </>
      )}
    </EntryPage>
  )
}
