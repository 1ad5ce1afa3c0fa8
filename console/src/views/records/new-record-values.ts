import type { BrainRecord } from '@noema/contracts/records.ts'
import type { SchemaKind } from '@noema/contracts/schema-kinds.ts'
import { FieldProblem, InvalidBody } from '../../components/form/problems.ts'
import { readInput } from '../record-form/field-value.ts'

/** The values of the form: the nth declared field and link of the kind by number, as their names may contain any character. */
export type Values = { kind: string; slug: string; more: string } & {
  [name: `field${number}` | `link${number}`]: string
}

export const emptyValues = (kind: string): Values => ({ kind, slug: '', more: '' })

/** The position of the numbered values in the body. */
export const toPaths = (kind: SchemaKind | undefined): Record<string, string> => ({
  ...Object.fromEntries(kind?.fields.map(({ name }, index) => [`field${index}`, `fields.${name}`]) ?? []),
  more: 'fields',
})

/** Ids that are separated by commas. */
const readLinks = (kind: SchemaKind | undefined, values: Values): BrainRecord['links'] =>
  (kind?.links ?? []).flatMap(({ predicate }, index) =>
    (values[`link${index}`] ?? '')
      .split(',')
      .map((to) => to.trim())
      .filter((to) => to !== '')
      .map((to) => ({ predicate, to })),
  )

const readDeclared = (kind: SchemaKind | undefined, values: Values): BrainRecord['fields'] => {
  const fields: BrainRecord['fields'] = {}
  const problems: { path: string; message: string }[] = []
  for (const [index, field] of kind?.fields.entries() ?? []) {
    const read = readInput(field, values[`field${index}`] ?? '')
    if ('error' in read) problems.push({ path: `body.fields.${field.name}`, message: read.error })
    else if (read.value !== null) fields[field.name] = read.value
  }
  if (problems.length > 0) throw new InvalidBody(problems)
  return fields
}

const readOthers = (text: string): BrainRecord['fields'] => {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text) as BrainRecord['fields']
  } catch (cause) {
    throw new FieldProblem('more', 'This is not a JSON object.', { cause })
  }
}

/** The record that the values describe. */
export const toRecord = (kind: SchemaKind | undefined, values: Values) => ({
  kind: values.kind,
  ...(values.slug !== '' && { slug: values.slug }),
  fields: { ...readDeclared(kind, values), ...readOthers(values.more) },
  links: readLinks(kind, values),
})
