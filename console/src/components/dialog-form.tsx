import type { FormEvent, ReactNode } from 'react'
import { Button } from './button.tsx'
import { FailureNotice } from './notice.tsx'
import { useAction } from './use-action.ts'

type DialogFormProps = {
  /** What the button says: the act, not "OK". */
  submit: string
  tone?: 'primary' | 'danger'
  /** Whether it may be done yet. */
  isReady?: boolean
  onSubmit: (form: FormData) => Promise<void>
  onClose: () => void
  children: ReactNode
}

/** What a dialog asks for, with its foot: how the last try failed, the way out, and the button that goes ahead. */
export const DialogForm = ({ submit, tone = 'primary', isReady = true, ...props }: DialogFormProps) => {
  const { onSubmit, onClose, children } = props
  const { run, isRunning, error } = useAction(onSubmit)
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isReady && !isRunning) void run(new FormData(event.currentTarget))
  }
  return (
    <form className="form" onSubmit={send}>
      {children}
      <FailureNotice error={error} />
      <div className="dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" tone={tone} isBusy={isRunning} disabled={!isReady}>
          {submit}
        </Button>
      </div>
    </form>
  )
}
