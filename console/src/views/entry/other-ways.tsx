import { useLocation } from '../../address.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { useAction } from '../../components/use-action.ts'
import { leaveForProvider, type Methods, signInByPasskey } from '../../session/ways-in.ts'

const Provider = ({ name, next, isOnly }: { name: string; next: string; isOnly: boolean }) => {
  const { search } = useLocation()
  const { run, isRunning, error } = useAction(leaveForProvider)
  return (
    <>
      <button
        type="button"
        className={isOnly ? 'button primary' : 'button'}
        aria-disabled={isRunning}
        onClick={() => void run(next, search.get('code'))}
      >
        Continue with {name}
      </button>
      {error !== undefined && <FailureNotice error={error} />}
    </>
  )
}

const Passkey = ({ onDone }: { onDone: () => Promise<void> }) => {
  const { run, isRunning, error } = useAction(async () => {
    await signInByPasskey()
    await onDone()
  })
  return (
    <>
      <button type="button" className="button" aria-disabled={isRunning} onClick={() => void run()}>
        Sign in with a passkey
      </button>
      {error !== undefined && <FailureNotice error={error} />}
    </>
  )
}

type OtherWaysProps = {
  methods: Methods
  next: string
  /** Called after a sign-in with a passkey. Without it, no passkey is offered. */
  onDone?: () => Promise<void>
}

/** Sign-in methods that need no input on this page. Empty if there are none. */
export const OtherWays = ({ methods: { password, passkey, provider }, next, onDone }: OtherWaysProps) => {
  const offersPasskey = password && passkey && onDone !== undefined
  if (provider === undefined && !offersPasskey) return null
  return (
    <div className="other-ways">
      {provider !== undefined && <Provider name={provider} next={next} isOnly={!password} />}
      {offersPasskey && <Passkey onDone={onDone} />}
      {password && <p className="divider">or</p>}
    </div>
  )
}
