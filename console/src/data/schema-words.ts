import type { SchemaOperation } from '@noema/contracts/schema.ts'
import type { SchemaField, SchemaKind, SchemaLink } from '@noema/contracts/schema-kinds.ts'
import { toBefore } from './durations.ts'

// Steps of a schema change as people read them.

/** The rules of a field in a few words: `string, required, indexed`. */
export const describeField = ({
  type,
  many,
  required,
  unique,
  indexed,
  alias,
  values,
  notifyBefore,
}: SchemaField): string =>
  [
    many ? `list of ${type}` : type,
    required && 'required',
    unique && 'unique',
    indexed && !unique && 'indexed',
    alias && 'alias',
    values && `one of ${values.join(', ')}`,
    notifyBefore && `notifies ${notifyBefore.map(toBefore).join(' and ')}`,
  ]
    .filter(Boolean)
    .join(', ')

const describeLink = ({ to, many }: SchemaLink): string =>
  `${many ? 'any number of links' : 'one link'} to ${to.length > 0 ? to.join(', ') : 'any kind'}`

/** A declared kind as a row for each of its fields and links, so that two declarations can be compared. */
export const toKindRows = ({ title, description, strict, fields, links }: SchemaKind): Record<string, string> => ({
  ...(title && { title }),
  ...(description && { description }),
  ...Object.fromEntries(
    fields.map((field) => [
      `field ${field.name}`,
      field.description ? `${describeField(field)}: ${field.description}` : describeField(field),
    ]),
  ),
  ...Object.fromEntries(links.map((link) => [`link ${link.predicate}`, describeLink(link)])),
  'other fields': strict ? 'refused' : 'accepted',
})

/** One step as a sentence. */
export const describeOperation = (operation: SchemaOperation): string => {
  const { op, kind } = operation
  switch (op) {
    case 'addKind':
      return `Declare the kind ${kind}${operation.fields?.length ? ` with ${operation.fields.map(({ name }) => name).join(', ')}` : ''}`
    case 'retireKind':
      return `Retire the kind ${kind}`
    case 'addField':
      return `Add ${kind}.${operation.field.name}: ${describeField(operation.field)}`
    case 'setField':
      return `Set ${kind}.${operation.field.name}: ${describeField(operation.field)}`
    case 'retireField':
      return `Retire ${kind}.${operation.name}`
    case 'addLink':
      return `Add the link ${kind} → ${operation.link.predicate}${operation.link.to.length > 0 ? ` to ${operation.link.to.join(', ')}` : ''}`
    case 'retireLink':
      return `Retire the link ${kind} → ${operation.predicate}`
    case 'setStrict':
      return operation.strict ? `Allow only declared fields in ${kind}` : `Allow undeclared fields in ${kind}`
  }
}

/** The target of a step. A later step with the same target replaces an earlier one. */
const toTarget = (operation: SchemaOperation): string => {
  const { op, kind } = operation
  if (op === 'addField' || op === 'setField') return JSON.stringify(['field', kind, operation.field.name])
  if (op === 'retireField') return JSON.stringify(['field', kind, operation.name])
  if (op === 'addLink') return JSON.stringify(['link', kind, operation.link.predicate])
  if (op === 'retireLink') return JSON.stringify(['link', kind, operation.predicate])
  return JSON.stringify([op === 'setStrict' ? 'strict' : 'kind', kind])
}

/** Adds a step to a proposal and replaces one with the same target. A change of an added part is still an addition. */
export const addStep = (steps: readonly SchemaOperation[], step: SchemaOperation): SchemaOperation[] => {
  const index = steps.findIndex((one) => toTarget(one) === toTarget(step))
  const before = steps[index]
  if (before === undefined) return [...steps, step]
  if (before.op === 'addField' && step.op === 'retireField') return steps.toSpliced(index, 1)
  const merged = before.op === 'addField' && step.op === 'setField' ? { ...step, op: before.op } : step
  return steps.toSpliced(index, 1, merged)
}
