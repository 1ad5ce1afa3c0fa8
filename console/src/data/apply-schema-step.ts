import type { SchemaOperation } from '@noema/contracts/schema.ts'
import type { SchemaKind } from '@noema/contracts/schema-kinds.ts'

const changeKind = (
  kinds: readonly SchemaKind[],
  name: string,
  change: (kind: SchemaKind) => SchemaKind,
): SchemaKind[] => kinds.map((kind) => (kind.kind === name ? change(kind) : kind))

/** The kinds of a schema after a step. A step that names something else again replaces it. */
export const applySchemaStep = (kinds: readonly SchemaKind[], step: SchemaOperation): SchemaKind[] => {
  switch (step.op) {
    case 'addKind': {
      const { kind, title = null, description = null, strict = false, fields = [], links = [] } = step
      return [...kinds.filter((one) => one.kind !== kind), { kind, title, description, strict, fields, links }]
    }
    case 'addField':
    case 'setField':
      return changeKind(kinds, step.kind, (kind) => {
        const others = kind.fields.filter(({ name }) => name !== step.field.name)
        const at = kind.fields.findIndex(({ name }) => name === step.field.name)
        return { ...kind, fields: others.toSpliced(at < 0 ? others.length : at, 0, step.field) }
      })
    case 'retireField':
      return changeKind(kinds, step.kind, (kind) => ({
        ...kind,
        fields: kind.fields.filter(({ name }) => name !== step.name),
      }))
    case 'addLink':
      return changeKind(kinds, step.kind, (kind) => ({
        ...kind,
        links: [...kind.links.filter(({ predicate }) => predicate !== step.link.predicate), step.link],
      }))
    case 'retireLink':
      return changeKind(kinds, step.kind, (kind) => ({
        ...kind,
        links: kind.links.filter(({ predicate }) => predicate !== step.predicate),
      }))
    case 'setStrict':
      return changeKind(kinds, step.kind, (kind) => ({ ...kind, strict: step.strict }))
    case 'retireKind':
      return kinds.filter(({ kind }) => kind !== step.kind)
  }
}
