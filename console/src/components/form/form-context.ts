import { type AnyFormApi, useField } from '@tanstack/react-form'
import { createContext, use } from 'react'

/** The form that fields are in. */
export const FormContext = createContext<AnyFormApi | undefined>(undefined)

/** The value of a field, its error, and its setter. */
export const useFormField = (name: string) => {
  const form = use(FormContext)
  if (!form) throw new Error(`The field ${name} is outside of a form.`)
  const field = useField({ form, name })
  const [error] = [field.state.meta.errorMap.onSubmit]
  return {
    value: field.state.value,
    error: typeof error === 'string' ? error : undefined,
    set: (value: unknown) => field.handleChange(value),
  }
}
