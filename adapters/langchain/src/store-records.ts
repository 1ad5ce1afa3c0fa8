import type { Item } from '@langchain/langgraph-checkpoint'
import type { BrainClient } from '@noema/sdk'
import { NoemaError } from '@noema/sdk/errors'

// Turns items of a store into records of a Brain, and back.

/** The kind of a store's records, and the most that one operation reads. */
export type Address = { kind: string; maxRead: number }

export type StoredRecord = Awaited<ReturnType<BrainClient['records']['get']>>['record']

/** The predicate of an item's links to its namespaces. */
export const inNamespace = 'in'

/** The longest id of a record. */
const maxId = 200

const encodeLabel = (label: string): string => {
  if (label === '' || !label.isWellFormed())
    throw new NoemaError('Labels of a namespace and keys are non-empty texts without lone surrogates.')
  return encodeURIComponent(label)
}

const checkLength = (id: string): string => {
  if (id.length <= maxId) return id
  throw new NoemaError(
    `A namespace with its key has at most ${maxId} characters as an id, and ${JSON.stringify(id.slice(0, 80))}… has ${id.length}. Shorten them.`,
  )
}

/** `memory:users/ada/` is the namespace `['users', 'ada']`: no key ends with a slash. */
export const toNamespaceId = (kind: string, namespace: readonly string[]): string =>
  checkLength(`${kind}:${namespace.map((label) => `${encodeLabel(label)}/`).join('')}`)

/** `memory:users/ada/color` is the key `color` in the namespace `['users', 'ada']`. */
export const toItemId = (kind: string, namespace: readonly string[], key: string): string => {
  if (namespace.length === 0) throw new NoemaError('An item needs a namespace of at least one label.')
  return checkLength(toNamespaceId(kind, namespace) + encodeLabel(key))
}

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

/** The operation of a batch that stores an item. */
type PutOperation = {
  op: 'record.put'
  kind: string
  id: string
  fields: { namespace: string[]; key: string; value: Json }
  links: { predicate: string; to: string }[]
}
type NewItem = { namespace: string[]; key: string; value: Record<string, unknown> }

/** The operation that stores an item, with a link to its namespace and to each one above. */
export const toPut = (kind: string, id: string, { namespace, key, value }: NewItem): PutOperation => ({
  op: 'record.put',
  kind,
  id,
  // As JSON has it: without undefined values.
  fields: { namespace, key, value: JSON.parse(JSON.stringify(value)) },
  links: namespace.map((_, index) => ({
    predicate: inNamespace,
    to: toNamespaceId(kind, namespace.slice(0, index + 1)),
  })),
})

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The item of a record; undefined for records that no store wrote. */
export const readItem = ({ fields, createdAt, updatedAt }: StoredRecord): Item | undefined => {
  const { namespace, key, value } = fields
  if (!isTexts(namespace) || typeof key !== 'string' || !isObject(value)) return undefined
  return { namespace, key, value, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) }
}

/** The item of a record under an id of the store. Throws a `NoemaError` if something else wrote it. */
export const toItem = (record: StoredRecord): Item => {
  const item = readItem(record)
  if (item) return item
  throw new NoemaError(
    `The record ${record.id} was not written by this store. Give the store a kind that nothing else writes.`,
  )
}
