import { useState } from 'react'
import { codeInput } from '../../components/code-input.ts'
import { TextInput, textIn } from '../../components/field.tsx'
import { showCode } from '../../session/ways-in.ts'
import { EntryForm } from './entry-form.tsx'
import { EntryPage } from './entry-page.tsx'

/** The second step of the sign-in to an account with two-factor codes. */
export const CodeStep = ({ onDone, onStartOver }: { onDone: () => Promise<void>; onStartOver: () => void }) => {
  const [isBackup, setBackup] = useState(false)
  const submit = async (form: FormData) => {
    await showCode(textIn(form, 'code'), isBackup)
    await onDone()
  }
  return (
    <EntryPage
      title="Enter your code"
      lead={
        isBackup
          ? 'Each backup code works once.'
          : 'Your authenticator app shows six digits, new ones every 30 seconds.'
      }
    >
      <EntryForm
        key={String(isBackup)}
        submit="Continue"
        onSubmit={submit}
        aside={
          <span>
            <button type="button" className="link" onClick={() => setBackup(!isBackup)}>
              {isBackup ? 'Use the app' : 'Use a backup code'}
            </button>{' '}
            ·{' '}
            <button type="button" className="link" onClick={onStartOver}>
              Start over
            </button>
          </span>
        }
      >
        {isBackup ? (
          <TextInput label="Backup code" name="code" autoComplete="off" required maxLength={64} />
        ) : (
          <TextInput label="Code" {...codeInput} />
        )}
      </EntryForm>
    </EntryPage>
  )
}
