import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { codeInput } from '../../components/code-input.ts'
import { TextInput, textIn } from '../../components/field.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { useAction } from '../../components/use-action.ts'
import { signIn } from '../../session/entry-calls.ts'
import { useMethods } from '../../session/use-methods.ts'
import { leaveForProvider, showCode, signInByPasskey, wantsCode } from '../../session/ways-in.ts'
import { EntryForm } from './entry-form.tsx'

type SignInAgainProps = { email: string; onDone: () => Promise<void> }

const PasswordOrCode = ({ email, onDone }: SignInAgainProps) => {
  const [isCode, setCode] = useState(false)
  const submit = async (form: FormData) => {
    if (isCode) {
      const code = textIn(form, 'code')
      await showCode(code, !/^\s*\d{6}\s*$/.test(code))
    } else if (wantsCode(await signIn({ email, password: textIn(form, 'password') }))) return setCode(true)
    await onDone()
  }
  return (
    <EntryForm key={String(isCode)} submit={isCode ? 'Continue' : 'Sign in'} onSubmit={submit}>
      {isCode ? (
        <TextInput
          label="Code of the app, or a backup code"
          {...codeInput}
          pattern={undefined}
          title={undefined}
          autoFocus
        />
      ) : (
        <>
          <input type="hidden" name="email" value={email} autoComplete="username" />
          <TextInput
            label="Your password"
            name="password"
            type="password"
            autoComplete="current-password"
            required
            autoFocus
          />
        </>
      )}
    </EntryForm>
  )
}

/** Signs in as the same person, in place, so that the page keeps what was typed. */
export const SignInAgain = ({ email, onDone }: SignInAgainProps) => {
  const methods = useMethods()
  const passkey = useAction(async () => {
    await signInByPasskey()
    await onDone()
  })
  const provider = useAction(leaveForProvider)
  if (!methods) return null
  return (
    <>
      {methods.password && <PasswordOrCode email={email} onDone={onDone} />}
      <FailureNotice error={passkey.error ?? provider.error} />
      <div className="actions">
        {methods.passkey && (
          <Button isBusy={passkey.isRunning} onClick={() => void passkey.run()}>
            Sign in with a passkey
          </Button>
        )}
        {methods.provider !== undefined && (
          <Button
            isBusy={provider.isRunning}
            onClick={() => void provider.run(location.pathname + location.search, null)}
          >
            Continue with {methods.provider}
          </Button>
        )}
      </div>
    </>
  )
}
