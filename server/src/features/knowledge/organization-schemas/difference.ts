import type { SchemaDifference } from '@noema/contracts/schema.ts'
import type { SchemaKind } from '@noema/contracts/schema-kinds.ts'
import { canonicalJson } from '../../../shared/text/json.ts'

/** The parts of a schema by address: `kind`, `kind.field`, `kind->predicate`. */
const toParts = (kinds: readonly SchemaKind[]): Map<string, string> => {
  const parts = new Map<string, string>()
  for (const { fields, links, ...kind } of kinds) {
    parts.set(kind.kind, canonicalJson(kind))
    for (const field of fields) parts.set(`${kind.kind}.${field.name}`, canonicalJson(field))
    for (const link of links) parts.set(`${kind.kind}->${link.predicate}`, canonicalJson(link))
  }
  return parts
}

/** Lists the differences between two schemas, by address. */
export const compareKinds = (from: readonly SchemaKind[], to: readonly SchemaKind[]): SchemaDifference => {
  const [before, after] = [toParts(from), toParts(to)]
  const names = [...before.keys(), ...after.keys()]
  const only = (isSelected: (name: string) => boolean) => [...new Set(names)].filter(isSelected).sort()
  return {
    added: only((name) => !before.has(name)),
    removed: only((name) => !after.has(name)),
    changed: only((name) => before.has(name) && after.has(name) && before.get(name) !== after.get(name)),
  }
}
