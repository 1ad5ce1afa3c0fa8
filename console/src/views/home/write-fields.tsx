import { isObject } from '@noema/contracts/json.ts'
import type { FirstWrite } from '../../code/examples.ts'
import type { Fields } from '../../components/form/fields.tsx'
import { FieldProblem } from '../../components/form/problems.ts'

const parseFields = (text: string): Record<string, never> => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new FieldProblem('fields', `This is not JSON: ${reason}.`, { cause })
  }
  if (isObject(value)) return { ...(value as object) }
  throw new FieldProblem('fields', 'Enter a JSON object, such as {"name": "Website"}.')
}

export type WriteValues = { what: FirstWrite['what']; kind: string; fields: string; title: string; text: string }

export const firstValues: WriteValues = {
  what: 'record',
  kind: 'project',
  fields: '{\n  "name": "Website",\n  "status": "planned"\n}',
  title: 'How we release',
  text: 'Releases go out on Tuesdays, after the whole suite has passed.',
}

/** The write for the values. */
export const readWrite = ({ what, kind, fields, title, text }: WriteValues) =>
  what === 'record' ? ({ what, kind, fields: parseFields(fields) } as const) : ({ what, title, text } as const)

const kinds = [
  { value: 'record', name: 'Record' },
  { value: 'document', name: 'Document' },
] as const

type WriteFieldsProps = { what: FirstWrite['what']; form: Fields<WriteValues> }

/** A record with a kind and fields, or a document with its text. */
export const WriteFields = ({ what, form }: WriteFieldsProps) => (
  <>
    <form.Radio label="Content" name="what" options={kinds} isSegments isLabelHidden />
    {what === 'record' ? (
      <>
        <form.Text label="Kind" name="kind" required autoComplete="off" isMono />
        <form.TextArea label="Fields" name="fields" rows={4} spellCheck={false} isMono />
      </>
    ) : (
      <>
        <form.Text label="Title" name="title" autoComplete="off" />
        <form.TextArea label="Text" name="text" rows={4} required />
      </>
    )}
  </>
)
