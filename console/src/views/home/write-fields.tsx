import { isObject } from '@noema/contracts/json.ts'
import { Fragment } from 'react'
import type { FirstWrite } from '../../code/examples.ts'
import { TextArea, TextInput, textIn } from '../../components/field.tsx'

const parseFields = (text: string): Record<string, never> => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new Error(`The fields are not JSON: ${cause instanceof Error ? cause.message : String(cause)}.`, { cause })
  }
  if (isObject(value)) return { ...(value as object) }
  throw new Error('The fields are one JSON object, such as {"name": "Website"}.')
}

/** Reads what the form says; throws in words where it cannot be written. */
export const readWrite = (what: FirstWrite['what'], form: FormData) =>
  what === 'record'
    ? ({ what, kind: textIn(form, 'kind'), fields: parseFields(textIn(form, 'fields')) } as const)
    : ({ what, title: textIn(form, 'title'), text: textIn(form, 'text') } as const)

const kinds = [
  ['record', 'Record'],
  ['document', 'Document'],
] as const

type WriteFieldsProps = { what: FirstWrite['what']; onWhat: (what: FirstWrite['what']) => void }

/** A record of some kind with fields, or a document with its text. */
export const WriteFields = ({ what, onWhat }: WriteFieldsProps) => (
  <>
    <fieldset className="segments">
      <legend className="off-screen">What to write</legend>
      {kinds.map(([value, words]) => (
        <label key={value}>
          <input type="radio" name="what" checked={what === value} onChange={() => onWhat(value)} />
          <span>{words}</span>
        </label>
      ))}
    </fieldset>
    {/* Keys keep what was filled in for one from showing up in the other. */}
    {what === 'record' ? (
      <Fragment key="record">
        <TextInput
          label="Kind"
          name="kind"
          defaultValue="project"
          required
          pattern="[A-Za-z][A-Za-z0-9._\-]{0,127}"
          title="Begins with a letter; A-Z, a-z, 0-9, ., _ and -"
          autoComplete="off"
          className="mono"
        />
        <TextArea
          label="Fields"
          name="fields"
          rows={4}
          spellCheck={false}
          className="mono"
          defaultValue={'{\n  "name": "Website",\n  "status": "planned"\n}'}
        />
      </Fragment>
    ) : (
      <Fragment key="document">
        <TextInput label="Title" name="title" defaultValue="How we release" maxLength={1000} autoComplete="off" />
        <TextArea
          label="Text"
          name="text"
          rows={4}
          required
          defaultValue="Releases go out on Tuesdays, after the whole suite has passed."
        />
      </Fragment>
    )}
  </>
)
