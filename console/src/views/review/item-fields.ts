import type { SchemaKind } from '@noema/contracts/schema-kinds.ts'
import type { ChangeItem } from '../../data/changes.ts'
import { namingFields, toCellText } from '../../data/record-text.ts'
import { toKindRows } from '../../data/schema-words.ts'
import { toAmount } from '../../plural.ts'

// The item of a change as comparable fields, for every type of item.

type Fields = Readonly<Record<string, unknown>>
type Thing = Fields

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const toObject = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})

/** Names a record by its id. */
type NameRecord = (id: string) => string

const toName = (value: unknown, nameRecord: NameRecord): string => {
  const { id, kind } = toObject(value)
  return `${String(kind ?? '')} ${nameRecord(String(id ?? ''))}`.trim()
}

const toLinks = (links: unknown, nameRecord: NameRecord): Fields =>
  Array.isArray(links) && links.length > 0
    ? {
        links: links
          .map(toObject)
          .map(({ predicate, to }) => `${predicate} → ${nameRecord(String(to))}`)
          .join('\n'),
      }
    : {}

/** The ids of the records that a change of an item shows: the ends of its links, or of its statement. */
export const listNamedRecords = ({ before, after }: Pick<ChangeItem, 'before' | 'after'>): string[] => {
  const ids = [before, after].flatMap((thing) => {
    const { links, subject, object } = toObject(thing)
    const linked = Array.isArray(links) ? links.map((link) => toObject(link).to) : []
    return [...linked, toObject(subject).id, toObject(toObject(object).record).id]
  })
  return [...new Set(ids.filter((id) => typeof id === 'string'))]
}

const known = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined))

/** The time at which an item ends by itself. It comes last, so that no field of the same name takes its place. */
const toExpiry = (expiresAt: unknown): Fields => known({ 'expires at': expiresAt })

const recordFields = ({ kind, slug, fields, links, expiresAt }: Thing, nameRecord: NameRecord): Fields => ({
  ...known({ kind, slug }),
  ...toObject(fields),
  ...toLinks(links, nameRecord),
  ...toExpiry(expiresAt),
})

const statementFields = (thing: Thing, nameRecord: NameRecord): Fields => {
  const { subject, predicate, object, validFrom, validTo, confidence } = thing
  const { record, value } = toObject(object)
  return known({
    ...{ subject: toName(subject, nameRecord), predicate },
    object: record === undefined ? value : toName(record, nameRecord),
    ...{ validFrom, validTo, confidence },
  })
}

const documentFields = ({ title, contentType, source, metadata, occurredAt, text, expiresAt }: Thing): Fields => ({
  ...known({
    ...{ title, contentType, occurredAt, text },
    ...(isObject(source) && { source: source.uri ?? source.name }),
    ...(Object.keys(toObject(metadata)).length > 0 && { metadata }),
  }),
  ...toExpiry(expiresAt),
})

/** The fields of a version; undefined if there is no version. */
export const toFields = (
  type: ChangeItem['target']['type'],
  thing: Thing | null | undefined,
  nameRecord: NameRecord = (id) => id,
): Fields | undefined => {
  if (!thing) return undefined
  if (type === 'record') return recordFields(thing, nameRecord)
  if (type === 'statement') return statementFields(thing, nameRecord)
  return type === 'document' ? documentFields(thing) : toKindRows(thing as SchemaKind)
}

/** The maximum length of an added or removed text that is drawn, and of two texts that are compared. */
const maxShown = 20_000
const maxCompared = 400_000

const cut = (value: unknown): unknown =>
  typeof value === 'string' && value.length > maxShown
    ? `${value.slice(0, maxShown)}… and ${toAmount(value.length - maxShown)} more characters`
    : value

const cutAll = (fields: Fields | undefined): Fields | undefined =>
  fields && Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, cut(value)]))

const sizeText = (fields: Fields | undefined): number =>
  Object.values(fields ?? {}).reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0)

/** An item before and after as fields, cut to the length that a page can draw and compare. */
export const toCompared = (
  { target: { type }, before }: Pick<ChangeItem, 'target' | 'before'>,
  after: Thing | null,
  nameRecord?: NameRecord,
): { before: Fields | undefined; after: Fields | undefined } => {
  const [was, is] = [toFields(type, before, nameRecord), toFields(type, after, nameRecord)]
  const isWhole = was && is && sizeText(was) + sizeText(is) <= maxCompared
  return isWhole ? { before: was, after: is } : { before: cutAll(was), after: cutAll(is) }
}

/** The fields of a record that a reviewer can edit. */
export const toEditable = ({ op, target, after }: ChangeItem): Record<string, unknown> | undefined =>
  target.type === 'record' && op !== 'record.delete' && after ? toObject(after.fields) : undefined

const effects: Readonly<Record<string, string>> = {
  'schema.evolve': 'Changes',
  'record.create': 'New record',
  'record.put': 'Writes the record',
  'record.patch': 'Changes the record',
  'record.delete': 'Deletes the record',
  'statement.assert': 'Asserts',
  'statement.retract': 'Retracts',
  'document.put': 'Writes the document',
  'document.retire': 'Retires the document',
}

/** The operation of an item in words. */
export const describeItem = ({ op, before, after }: Pick<ChangeItem, 'op' | 'before' | 'after'>): string => {
  if (before === null && op === 'record.put') return 'New record'
  if (before === null && op === 'document.put') return 'New document'
  // A superseded change has neither.
  if (before === null && after && op === 'schema.evolve') return 'Declares the kind'
  return effects[op] ?? op
}

/** The subject of an item in words: a record by its name, a statement by its sentence, a document by its title. */
export const nameTarget = ({ target, before, after }: ChangeItem, nameRecord: NameRecord = (id) => id): string => {
  const thing = after ?? before
  if (target.type === 'schema' || !thing) return target.id
  if (target.type === 'statement') {
    const { record, value } = toObject(thing.object)
    const object = record === undefined ? toCellText(value) : nameRecord(String(toObject(record).id))
    return `${nameRecord(String(toObject(thing.subject).id))} ${String(thing.predicate)} ${object}`
  }
  const fields = toObject(thing.fields)
  const names = [...namingFields.map((name) => fields[name]), thing.slug, thing.title]
  const name = names.find((one) => typeof one === 'string' && one.trim() !== '')
  return typeof name === 'string' ? name : target.id
}

const nouns: Readonly<Record<string, string>> = { record: 'record', statement: 'statement', document: 'document' }

const verbs: Readonly<Record<string, string>> = {
  create: 'new',
  put: 'written',
  patch: 'changed',
  delete: 'deleted',
  assert: 'asserted',
  retract: 'retracted',
  retire: 'retired',
}

/** The operations of a change, counted: "3 records written, 1 document retired". */
export const describeOperations = (operations: Readonly<Record<string, number>>): string =>
  Object.entries(operations)
    .map(([op, count]) => {
      const [type = '', verb = ''] = op.split('.')
      const noun = nouns[type]
      return noun ? `${count} ${noun}${count === 1 ? '' : 's'} ${verbs[verb] ?? verb}` : `${count} × ${op}`
    })
    .join(', ')

type Named = { reason: string | null; itemCount: number; targets: readonly { id: string; name?: string | undefined }[] }

/** The title of a change in a list: its reason, its only subject, or its operations. */
export const nameChange = ({
  reason,
  itemCount,
  targets,
  ...change
}: Named & { operations: Record<string, number> }) => {
  const [only] = itemCount === 1 ? targets : []
  return reason ?? only?.name ?? only?.id ?? describeOperations(change.operations)
}

const flagWords: Readonly<Record<string, string>> = {
  duplicate_text: 'text exists already',
  hidden_characters: 'hidden characters',
  unverified_source: 'unverified source',
  credential: 'credential',
  contradicts: 'contradicts another statement',
  near_duplicate_of: 'nearly the same as another item',
  unchecked: 'not checked',
}

/** A reviewer's warning, in words. */
export const describeFlag = (flag: string): string => flagWords[flag] ?? flag

type Source = { document: string; version?: number; quote?: string }

const isSource = (value: unknown): value is Source => isObject(value) && typeof value.document === 'string'

/** The provenance of an item. */
export const readEvidence = ({ after }: Pick<ChangeItem, 'after'>) => {
  const { source, receipt, trust } = toObject(after?.provenance)
  const sources = Array.isArray(after?.sources) ? after.sources.filter(isSource) : []
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  return { sources, source: text(source), receipt: text(receipt), trust: text(trust) }
}

/** The number of a version, if it has one. */
export const readVersion = (thing: Thing | null | undefined): number | undefined =>
  typeof thing?.version === 'number' ? thing.version : undefined
