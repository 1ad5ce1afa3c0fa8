import '../styles/inline-inputs.css'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { TextInput, textIn } from './field.tsx'

type TextFilterProps = {
  label: string
  value: string | undefined
  placeholder: string
  type?: 'text' | 'search'
  /** The label of the button. */
  submit: string
  /** Called with the trimmed text. */
  onSubmit: (text: string) => void
  /** Shown next to the button. */
  children?: ReactNode
}

/** A text in the URL that Enter or a button applies. Use a `SearchInput` to filter while the person types. */
export const TextFilter = ({ value, submit, onSubmit, children, ...input }: TextFilterProps) => (
  <form
    className="text-filter"
    onSubmit={(event) => {
      event.preventDefault()
      onSubmit(textIn(new FormData(event.currentTarget), 'text').trim())
    }}
  >
    <TextInput {...input} key={value} isLabelHidden name="text" defaultValue={value} autoComplete="off" />
    <Button type="submit" size="small">
      {submit}
    </Button>
    {children}
  </form>
)
