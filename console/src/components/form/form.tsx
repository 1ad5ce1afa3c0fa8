import { useSelector } from '@tanstack/react-form'
import type { ReactNode } from 'react'
import { Button } from '../button.tsx'
import { FailureNotice } from '../notice.tsx'
import { FormContext } from './form-context.ts'
import { focusFirstInvalid } from './invalid-inputs.ts'
import { MovedNotice } from './moved-notice.tsx'
import type { ContractForm } from './use-contract-form.ts'

type FormProps = {
  form: Pick<ContractForm<object>, 'api' | 'failure' | 'moved' | 'prepare' | 'submit'>
  /** The label of the button: the act, not "OK". */
  submit: string
  /** `danger` for an act that cannot be undone. */
  tone?: 'primary' | 'danger'
  size?: 'normal' | 'small'
  /** True if it can be submitted. */
  isReady?: boolean
  /** Adds a Cancel button in front of the other, as in every dialog. */
  onCancel?: () => void
  /** Shown next to the button. */
  aside?: ReactNode
  /** Shows an error in place of the usual notice. */
  renderFailure?: (error: unknown) => ReactNode
  className?: string
  children: ReactNode
}

/** Fields, the last error that no field shows, and the buttons. */
export const Form = ({ form, isReady = true, className = 'form', renderFailure, children, ...buttons }: FormProps) => (
  <form
    noValidate
    className={className}
    onFocus={form.prepare}
    onSubmit={async (event) => {
      event.preventDefault()
      const { currentTarget } = event
      if (!isReady) return
      await form.submit(currentTarget)
      focusFirstInvalid(currentTarget)
    }}
  >
    <FormContext value={form.api}>{children}</FormContext>
    {form.moved && <MovedNotice {...form.moved} />}
    {form.failure !== undefined &&
      (renderFailure ? renderFailure(form.failure) : <FailureNotice error={form.failure} />)}
    <Buttons {...buttons} api={form.api} isReady={isReady} />
  </form>
)

type ButtonsProps = Pick<FormProps, 'submit' | 'tone' | 'size' | 'onCancel' | 'aside'> & {
  api: FormProps['form']['api']
  isReady: boolean
}

const Buttons = ({ api, isReady, submit, tone = 'primary', size = 'normal', onCancel, aside }: ButtonsProps) => {
  const isSubmitting = useSelector(api.store, (state) => state.isSubmitting)
  return (
    <div className={onCancel ? 'dialog-foot' : 'actions'}>
      {onCancel && <Button onClick={onCancel}>Cancel</Button>}
      <Button type="submit" tone={tone} size={size} isBusy={isSubmitting} disabled={!isReady}>
        {submit}
      </Button>
      {aside}
    </div>
  )
}
