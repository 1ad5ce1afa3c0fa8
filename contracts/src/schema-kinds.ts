import { z } from 'zod'
import { fieldName } from './common.ts'
import { kind, predicate } from './records.ts'

/**
 * The types of declared fields. `string` and `text` both accept any text: names and codes, or prose. `date` is a calendar
 * day, `datetime` an ISO 8601 moment with Z or an offset, `enum` one of `values`, `json` anything.
 */
export const fieldType = z.enum(['string', 'text', 'integer', 'number', 'boolean', 'date', 'datetime', 'enum', 'json'])
export type FieldType = z.infer<typeof fieldType>

/** An ISO 8601 duration of whole numbers: `P30D`, `P1M`, `PT12H`, `P0D`. */
export const duration = z
  .string()
  .regex(
    /^P(?=\d|T\d)(\d{1,5}Y)?(\d{1,5}M)?(\d{1,5}W)?(\d{1,5}D)?(T(?=\d)(\d{1,5}H)?(\d{1,5}M)?(\d{1,5}S)?)?$/,
    'Expected an ISO 8601 duration such as P30D, PT12H or P0D.',
  )

type FieldShape = {
  type: FieldType
  values?: string[] | undefined
  notifyBefore?: string[] | undefined
  indexed: boolean
  unique: boolean
  alias?: boolean | undefined
}

/** The rules between the properties of a field. */
const checkField = (field: FieldShape, context: z.RefinementCtx): void => {
  const refuse = (name: string, message: string) => context.addIssue({ code: 'custom', path: [name], message })
  if (field.type === 'enum' && field.values === undefined) refuse('values', 'An enum lists its values.')
  if (field.type !== 'enum' && field.values !== undefined) refuse('values', 'Only an enum lists values.')
  if (field.notifyBefore !== undefined && field.type !== 'date' && field.type !== 'datetime')
    refuse('notifyBefore', 'Only a date or a datetime can be notified of.')
  // Values without an order, which merge in parts, cannot be indexed.
  if (field.type === 'json' && (field.indexed || field.unique))
    refuse(field.unique ? 'unique' : 'indexed', 'A json field can be neither indexed nor unique.')
  if (field.alias && field.type !== 'string' && field.type !== 'text')
    refuse('alias', 'Only a string or a text can be an alias.')
}

const distinct = (values: readonly string[]): boolean => new Set(values).size === values.length

export const schemaField = z
  .object({
    name: fieldName.describe('The name, for people.'),
    type: fieldType.describe('The type of the values.'),
    required: z.boolean().default(false).describe('True if every record of the kind must have it.'),
    many: z.boolean().default(false).describe('True if there may be several values.'),
    indexed: z.boolean().default(false).describe('True if queries may ask by this field.'),
    unique: z.boolean().default(false).describe('True if no two live records of the kind may have the same value.'),
    // Optional without a default: schemas from before it stay equal to themselves.
    alias: z
      .boolean()
      .optional()
      .describe('True if its values are other names of the record: search takes them for its name.'),
    values: z
      .array(z.string().min(1).max(200))
      .min(1, 'An enum lists its values.')
      .max(1000)
      .refine(distinct, 'A value is listed twice.')
      .optional()
      .describe('The only values that are accepted.'),
    notifyBefore: z
      .array(duration)
      .min(1)
      .max(20)
      .refine(distinct, 'A duration is listed twice.')
      .optional()
      .describe('How long before the date reminders come, as ISO 8601 durations.'),
    description: z.string().max(2000).default('').describe('The purpose, in a sentence or two.'),
  })
  .superRefine(checkField)
  .describe(
    'A declared field. `required`: a record cannot be made without it. `many`: a list of such values. `unique`: no ' +
      'two live records of the kind share a value. `notifyBefore`: how long before the date the stream has an event.',
  )
export type SchemaField = z.infer<typeof schemaField>

export const schemaLink = z
  .object({
    predicate,
    to: z.array(kind).max(100).default([]).describe('The kinds of records that the link may lead to; none allows any.'),
    many: z.boolean().default(true).describe('True if there may be several values.'),
  })
  .describe(
    'A declared link. `to`: the kinds that it may lead to, any if empty. Without `many`: at most one per record.',
  )
export type SchemaLink = z.infer<typeof schemaLink>

/** Refuses two entries with the same name. */
const namedOnce =
  <Item>(toName: (item: Item) => string, what: string) =>
  (items: readonly Item[], context: z.RefinementCtx): void => {
    const seen = new Set<string>()
    for (const [index, item] of items.entries()) {
      const name = toName(item)
      if (seen.has(name))
        context.addIssue({ code: 'custom', path: [index], message: `The ${what} ${name} is declared twice.` })
      seen.add(name)
    }
  }

export const schemaKind = z
  .object({
    kind,
    title: z.string().max(200).nullable().default(null).describe('The title, for people.'),
    description: z.string().max(2000).nullable().default(null).describe('The purpose, in a sentence or two.'),
    strict: z
      .boolean()
      .default(false)
      .describe('If true, records of the kind may have no field or link that the schema does not name.'),
    fields: z
      .array(schemaField)
      .max(500)
      .superRefine(namedOnce(({ name }) => name, 'field'))
      .default([])
      .describe('The fields that records of the kind may have.'),
    links: z
      .array(schemaLink)
      .max(200)
      .superRefine(namedOnce(({ predicate: name }) => name, 'link'))
      .default([])
      .describe('The links that records of the kind may have.'),
  })
  .describe('A declared kind. `strict`: its records have no fields other than these.')
export type SchemaKind = z.infer<typeof schemaKind>

/** The kinds of a schema, each declared once. */
export const schemaKinds = z
  .array(schemaKind)
  .max(500)
  .superRefine(namedOnce(({ kind: name }) => name, 'kind'))
  .describe('The kinds of records.')
