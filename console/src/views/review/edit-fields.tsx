import { type KeyboardEvent, useEffect, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { Form } from '../../components/form/form.tsx'
import { InvalidBody } from '../../components/form/problems.ts'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { Kbd } from '../../components/kbd.tsx'

type Fields = Readonly<Record<string, unknown>>

const write = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** A string stays a string; any other value is written as JSON. */
const read = (text: string, before: unknown): unknown => (typeof before === 'string' ? text : JSON.parse(text))

/** The texts by the number of their field, as a field's name may contain any character. */
type Values = Record<`field${number}`, string>

/** The fields whose text was changed. Reports each text that is not JSON. */
const readFields = (fields: Fields, values: Values): Fields => {
  const edited: Record<string, unknown> = {}
  const problems: { path: string; message: string }[] = []
  for (const [index, [name, value]] of Object.entries(fields).entries()) {
    const text = values[`field${index}`] ?? ''
    try {
      if (text !== write(value)) edited[name] = read(text, value)
    } catch {
      problems.push({ path: `body.field${index}`, message: 'Enter a JSON value: 12, true, null, ["a"].' })
    }
  }
  if (problems.length > 0) throw new InvalidBody(problems)
  return edited
}

const countRows = (text: string): number => Math.min(8, 1 + text.split('\n').length + Math.floor(text.length / 80))

type EditFieldsProps = { fields: Fields; onSave: (edited: Fields) => void; onClose: () => void }

/** Edits the fields of a proposed record before it is approved. */
export const EditFields = ({ fields, onSave, onClose }: EditFieldsProps) => {
  const entries = Object.entries(fields)
  const form = useContractForm({
    initial: Object.fromEntries(entries.map(([, value], index) => [`field${index}`, write(value)])) as Values,
    toBody: (values) => readFields(fields, values),
    submit: async (edited) => {
      onSave(edited)
      onClose()
    },
  })
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.querySelector('textarea')?.focus(), [])
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose()
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
      box.current?.querySelector('form')?.requestSubmit()
    else return
    event.preventDefault()
  }
  const aside = (
    <>
      <Button size="small" onClick={onClose}>
        Cancel
      </Button>
      <span className="small muted">
        <Kbd keys="Mod+Enter" /> keeps the edit, <Kbd keys="Esc" /> discards it
      </span>
    </>
  )
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the form inside
    <div onKeyDown={press} ref={box}>
      <Form form={form} submit="Keep the edit" size="small" aside={aside} className="edit-fields">
        {entries.map(([name, value], index) => (
          <form.TextArea key={name} label={name} name={`field${index}`} rows={countRows(write(value))} isMono />
        ))}
      </Form>
    </div>
  )
}
