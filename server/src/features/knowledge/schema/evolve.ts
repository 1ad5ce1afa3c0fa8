import type { SchemaOperation } from '@noema/contracts/schema.ts'
import { type SchemaField, type SchemaKind, schemaKind } from '@noema/contracts/schema-kinds.ts'
import { validation } from '../../../shared/errors.ts'

export type Tag = 'weakening' | 'strengthening'

/**
 * The effect of one operation on the schema: the kind before and after it, and whether it may refuse records that were
 * accepted.
 */
export type EvolutionStep = {
  /** The kind, `kind.field` or `kind->predicate` that it is about. */
  target: string
  before: SchemaKind | null
  after: SchemaKind | null
  tag: Tag
}

/** Types whose every value the other type takes as well. */
const wider: Partial<Record<SchemaField['type'], readonly SchemaField['type'][]>> = {
  string: ['text', 'json'],
  text: ['string', 'json'],
  integer: ['number', 'json'],
  number: ['json'],
  boolean: ['json'],
  date: ['string', 'text', 'json'],
  datetime: ['string', 'text', 'json'],
  enum: ['string', 'text', 'json'],
}

/** Checks whether every record that complied with a field complies with the other. */
const takesAll = (after: SchemaField, before: SchemaField): boolean => {
  if (after.required && !before.required) return false
  if (after.unique && !before.unique) return false
  if (after.many !== before.many) return after.type === 'json' && !after.many
  if (after.type !== before.type) return wider[before.type]?.includes(after.type) === true
  return (before.values ?? []).every((value) => after.values?.includes(value))
}

/** Checks whether declaring a field may refuse records that were accepted while it was not declared. */
const addsConstraint = (field: SchemaField, strict: boolean): boolean =>
  field.required || field.unique || (!strict && (field.type !== 'json' || field.many))

const toTag = (isStrengthening: boolean): Tag => (isStrengthening ? 'strengthening' : 'weakening')

type Refuse = (message: string) => never

const withField = (kind: SchemaKind, operation: Extract<SchemaOperation, { field: unknown }>, refuse: Refuse) => {
  const { field } = operation
  const current = kind.fields.find(({ name }) => name === field.name)
  if (operation.op === 'addField') {
    if (current) refuse(`The kind ${kind.kind} declares the field ${field.name} already; setField changes it.`)
    return { after: { ...kind, fields: [...kind.fields, field] }, tag: toTag(addsConstraint(field, kind.strict)) }
  }
  if (!current) return refuse(`The kind ${kind.kind} declares no field ${field.name}; addField declares it.`)
  const fields = kind.fields.map((one) => (one === current ? field : one))
  return { after: { ...kind, fields }, tag: toTag(!takesAll(field, current)) }
}

const withoutField = (kind: SchemaKind, name: string, refuse: Refuse) => {
  const fields = kind.fields.filter((field) => field.name !== name)
  if (fields.length === kind.fields.length) refuse(`The kind ${kind.kind} declares no field ${name}.`)
  // In a strict kind a field that is retired is a field that is refused.
  return { after: { ...kind, fields }, tag: toTag(kind.strict) }
}

const withLink = (kind: SchemaKind, { link }: Extract<SchemaOperation, { op: 'addLink' }>, refuse: Refuse) => {
  if (kind.links.some(({ predicate }) => predicate === link.predicate))
    refuse(`The kind ${kind.kind} declares the link ${link.predicate} already; retireLink comes first.`)
  return { after: { ...kind, links: [...kind.links, link] }, tag: toTag(!link.many || link.to.length > 0) }
}

const withoutLink = (kind: SchemaKind, predicate: string, refuse: Refuse) => {
  const links = kind.links.filter((link) => link.predicate !== predicate)
  if (links.length === kind.links.length) refuse(`The kind ${kind.kind} declares no link ${predicate}.`)
  return { after: { ...kind, links }, tag: 'weakening' as const }
}

const changedKind = (
  kind: SchemaKind,
  operation: Exclude<SchemaOperation, { op: 'addKind' | 'retireKind' }>,
  refuse: Refuse,
): { after: SchemaKind; tag: Tag } => {
  switch (operation.op) {
    case 'addField':
    case 'setField':
      return withField(kind, operation, refuse)
    case 'retireField':
      return withoutField(kind, operation.name, refuse)
    case 'addLink':
      return withLink(kind, operation, refuse)
    case 'retireLink':
      return withoutLink(kind, operation.predicate, refuse)
    case 'setStrict':
      return { after: { ...kind, strict: operation.strict }, tag: toTag(operation.strict && !kind.strict) }
  }
}

const newKind = ({ op, ...given }: Extract<SchemaOperation, { op: 'addKind' }>) => {
  const after = schemaKind.parse(given)
  const constrains = after.fields.some((field) => addsConstraint(field, false))
  const links = after.links.some(({ many, to }) => !many || to.length > 0)
  return { after, tag: toTag(after.strict || constrains || links) }
}

/** The kind, `kind.field` or `kind->predicate` that an operation is about. */
const describeTarget = (operation: SchemaOperation): string => {
  if ('field' in operation) return `${operation.kind}.${operation.field.name}`
  if ('name' in operation) return `${operation.kind}.${operation.name}`
  if (operation.op === 'addLink') return `${operation.kind}->${operation.link.predicate}`
  if (operation.op === 'retireLink') return `${operation.kind}->${operation.predicate}`
  return operation.kind
}

const toStep = (kinds: readonly SchemaKind[], operation: SchemaOperation, refuse: Refuse): EvolutionStep => {
  const target = describeTarget(operation)
  const before = kinds.find(({ kind }) => kind === operation.kind) ?? null
  if (operation.op === 'addKind') {
    if (before) refuse(`The kind ${operation.kind} is declared already.`)
    return { target, before: null, ...newKind(operation) }
  }
  if (!before) return refuse(`The schema declares no kind ${operation.kind}; addKind declares it.`)
  if (operation.op === 'retireKind') return { target, before, after: null, tag: 'weakening' }
  return { target, before, ...changedKind(before, operation, refuse) }
}

/** Applies schema operations in order. Throws, with its index, if one does not fit the result of the earlier ones. */
export const evolveKinds = (
  kinds: readonly SchemaKind[],
  operations: readonly SchemaOperation[],
): { kinds: SchemaKind[]; steps: EvolutionStep[] } => {
  let current = [...kinds]
  const steps = operations.map((operation, index) => {
    const step = toStep(current, operation, (message) => {
      throw validation(`Operation ${index}: ${message}`, {
        details: [{ path: ['operations', index], message, index }],
      })
    })
    const others = current.filter(({ kind }) => kind !== operation.kind)
    const place = current.findIndex(({ kind }) => kind === operation.kind)
    current = step.after ? others.toSpliced(place === -1 ? others.length : place, 0, step.after) : others
    return step
  })
  return { kinds: current, steps }
}
