import type { FormEvent, ReactNode } from 'react'
import { FailureNotice } from '../../components/notice.tsx'
import { useAction } from '../../components/use-action.ts'

type EntryFormProps = {
  submit: string
  onSubmit: (form: FormData) => Promise<void>
  children: ReactNode
  /** Shown next to the button. */
  aside?: ReactNode
  /** Shows an error in place of the usual notice. */
  failure?: (error: unknown) => ReactNode
}

/**
 * The form of a page before sign-in: inputs that the browser keeps and checks, so that the first page loads no form library.
 * No contract describes their requests.
 */
export const EntryForm = ({ submit, onSubmit, children, aside, failure }: EntryFormProps) => {
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
        <button type="submit" className="button primary" aria-disabled={isRunning}>
          {submit}
        </button>
        {aside}
      </div>
    </form>
  )
}
