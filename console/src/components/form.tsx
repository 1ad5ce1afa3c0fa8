import type { FormEvent, ReactNode } from 'react'
import { FailureNotice } from './notice.tsx'
import { useAction } from './use-action.ts'

type FormProps = {
  submit: string
  /** `danger` for what cannot be taken back. */
  tone?: 'primary' | 'danger'
  onSubmit: (form: FormData) => Promise<void>
  children: ReactNode
  /** Stands beside the button. */
  aside?: ReactNode
  /** Tells a failure in place of the usual notice. */
  failure?: (error: unknown) => ReactNode
}

/** Fields, a button, and how the last try failed. What was filled in stays when it did. */
export const Form = ({ submit, tone = 'primary', onSubmit, children, aside, failure }: FormProps) => {
  const { run, isRunning, error } = useAction(onSubmit)
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!isRunning) void run(new FormData(event.currentTarget))
  }
  return (
    <form onSubmit={send} className="form">
      {children}
      {error !== undefined && (failure?.(error) ?? <FailureNotice error={error} />)}
      <div className="actions">
        <button type="submit" className={`button ${tone}`} aria-disabled={isRunning}>
          {submit}
        </button>
        {aside}
      </div>
    </form>
  )
}
