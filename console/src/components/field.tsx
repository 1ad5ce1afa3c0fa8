import type { InputHTMLAttributes, ReactNode, TextareaHTMLAttributes } from 'react'
import { useId } from 'react'

type Labels = { label: string; hint?: ReactNode }

const Labelled = ({ label, hint, id, children }: Labels & { id: string; children: ReactNode }) => (
  <div className="field">
    <label htmlFor={id}>{label}</label>
    {children}
    {hint && (
      <p className="hint" id={`${id}-hint`}>
        {hint}
      </p>
    )}
  </div>
)

/** One line to fill in, with its label and a hint. */
export const Field = ({ label, hint, ...input }: Labels & InputHTMLAttributes<HTMLInputElement>) => {
  const id = useId()
  return (
    <Labelled label={label} hint={hint} id={id}>
      <input {...input} id={id} aria-describedby={hint ? `${id}-hint` : undefined} />
    </Labelled>
  )
}

/** Several lines to fill in. */
export const TextArea = ({ label, hint, ...input }: Labels & TextareaHTMLAttributes<HTMLTextAreaElement>) => {
  const id = useId()
  return (
    <Labelled label={label} hint={hint} id={id}>
      <textarea {...input} id={id} aria-describedby={hint ? `${id}-hint` : undefined} />
    </Labelled>
  )
}

/** What a form's field holds. */
export const textIn = (form: FormData, name: string): string => {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
