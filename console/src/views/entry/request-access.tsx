import { useState } from 'react'
import { Link } from '../../address.tsx'
import { TextArea, TextInput, textIn } from '../../components/field.tsx'
import { Notice } from '../../components/notice.tsx'
import { requestAccess } from '../../session/entry-calls.ts'
import { EntryForm } from './entry-form.tsx'
import { EntryPage } from './entry-page.tsx'

const maxMessageLength = 2_000

/** Requests access from the administrators of the service. */
export const RequestAccess = () => {
  const [email, setEmail] = useState<string>()
  const submit = async (form: FormData) => {
    await requestAccess({ email: textIn(form, 'email'), message: textIn(form, 'message') })
    setEmail(textIn(form, 'email'))
  }
  const back = <Link to="/sign-in">Back to sign in</Link>
  return (
    <EntryPage
      title="Request access"
      lead={
        email === undefined ? 'An administrator of this service reads your request and answers by email.' : undefined
      }
    >
      {email === undefined ? (
        <EntryForm submit="Request access" onSubmit={submit} aside={back}>
          <TextInput label="Email" name="email" type="email" autoComplete="email" required maxLength={254} />
          <TextArea label="How you want to use it" name="message" rows={4} maxLength={maxMessageLength} />
        </EntryForm>
      ) : (
        <>
          <Notice tone="good" title="Your request is with the administrators">
            <p>
              You will get the answer at <strong>{email}</strong>.
            </p>
          </Notice>
          {back}
        </>
      )}
    </EntryPage>
  )
}
