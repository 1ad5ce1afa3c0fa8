import type { SchemaField, SchemaKind, SchemaLink } from '@noema/contracts/schema-kinds.ts'

/** A date or datetime whose coming the stream tells of, and how long before. */
export type NotifiedField = SchemaField & { notifyBefore: string[] }

/** A declared kind, its parts found by name. */
export type CompiledKind = {
  kind: string
  strict: boolean
  fields: ReadonlyMap<string, SchemaField>
  links: ReadonlyMap<string, SchemaLink>
  required: readonly SchemaField[]
  /** The fields whose values are looked up: unique and indexed ones. */
  indexed: readonly SchemaField[]
  notified: readonly NotifiedField[]
}

/** A version of a Brain's schema, ready to check writes by. Version 0 declares nothing. */
export type CompiledSchema = {
  version: number
  kinds: readonly SchemaKind[]
  byKind: ReadonlyMap<string, CompiledKind>
  /** The kinds that have a unique field of a name: an operation tells a field's name before its record's kind is known. */
  uniqueFields: ReadonlyMap<string, readonly { kind: string; field: SchemaField }[]>
  /** Whether a write must know the kinds of the records that it links to. */
  checksTargets: boolean
}

export const isIndexed = (field: SchemaField): boolean => field.unique || field.indexed

export const isNotified = (field: SchemaField): field is NotifiedField => field.notifyBefore !== undefined

export const compileKind = (declared: SchemaKind): CompiledKind => ({
  kind: declared.kind,
  strict: declared.strict,
  fields: new Map(declared.fields.map((field) => [field.name, field])),
  links: new Map(declared.links.map((link) => [link.predicate, link])),
  required: declared.fields.filter(({ required }) => required),
  indexed: declared.fields.filter(isIndexed),
  notified: declared.fields.filter(isNotified),
})

export const compileSchema = (version: number, kinds: readonly SchemaKind[]): CompiledSchema => {
  const uniqueFields = new Map<string, { kind: string; field: SchemaField }[]>()
  for (const { kind, fields } of kinds)
    for (const field of fields.filter(({ unique }) => unique))
      uniqueFields.set(field.name, [...(uniqueFields.get(field.name) ?? []), { kind, field }])
  return {
    version,
    kinds,
    byKind: new Map(kinds.map((declared) => [declared.kind, compileKind(declared)])),
    uniqueFields,
    checksTargets: kinds.some(({ links }) => links.some(({ to }) => to.length > 0)),
  }
}

/** The schema of a Brain that declares nothing. */
export const emptySchema = compileSchema(0, [])
