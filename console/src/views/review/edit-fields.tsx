import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextArea } from '../../components/field.tsx'
import { Kbd } from '../../components/kbd.tsx'

type Fields = Readonly<Record<string, unknown>>

const write = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** A text stays a text; anything else is written as JSON. */
const read = (text: string, before: unknown): unknown => (typeof before === 'string' ? text : JSON.parse(text))

type Problems = Readonly<Record<string, string>>

/** What was typed in place of some fields, and which of it is not JSON. */
const readFields = (fields: Fields, texts: Readonly<Record<string, string>>) => {
  const edited: Record<string, unknown> = {}
  const problems: Record<string, string> = {}
  for (const [name, text] of Object.entries(texts))
    try {
      if (text !== write(fields[name])) edited[name] = read(text, fields[name])
    } catch {
      problems[name] = 'Write a JSON value: 12, true, null, ["a"].'
    }
  return { edited, problems }
}

type EditFieldsProps = { fields: Fields; onSave: (edited: Fields) => void; onClose: () => void }

/** The fields of a proposed record, to put others in their place before it is approved. */
export const EditFields = ({ fields, onSave, onClose }: EditFieldsProps) => {
  const [texts, setTexts] = useState<Record<string, string>>(() =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, write(value)])),
  )
  const [problems, setProblems] = useState<Problems>({})
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector('textarea')?.focus(), [])
  const save = (event?: FormEvent) => {
    event?.preventDefault()
    const found = readFields(fields, texts)
    setProblems(found.problems)
    if (Object.keys(found.problems).length > 0) return
    onSave(found.edited)
    onClose()
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose()
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save()
    else return
    event.preventDefault()
  }
  return (
    <form className="edit-fields" onSubmit={save} onKeyDown={press} ref={form}>
      {Object.entries(texts).map(([name, text]) => (
        <TextArea
          key={name}
          label={name}
          value={text}
          rows={Math.min(8, 1 + text.split('\n').length + Math.floor(text.length / 80))}
          error={problems[name]}
          onChange={({ target }) => setTexts({ ...texts, [name]: target.value })}
          isMono
        />
      ))}
      <div className="actions">
        <Button type="submit" size="small" tone="primary">
          Keep the edit
        </Button>
        <Button size="small" onClick={onClose}>
          Cancel
        </Button>
        <span className="small muted">
          <Kbd keys="Mod+Enter" /> keeps it, <Kbd keys="Esc" /> leaves it
        </span>
      </div>
    </form>
  )
}
