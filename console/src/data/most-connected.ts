import type { NeighbourRecord, Relation } from '@noema/contracts/neighbours.ts'
import type { BrainRecord } from '@noema/contracts/records.ts'
import type { Statement } from '@noema/contracts/statements.ts'
import type { Reading } from './neighbours.ts'

// The start of the graph of a whole Brain: the records with the most relations, of a bounded number that is read.

/** The number of records that the graph of a Brain starts with. */
export const maxConnected = 100
/** These have a label at any zoom. */
const maxLabelled = 12

/** A start, and the number of records and relations that it was chosen from. */
export type Start = Reading & { read: number; isAll: boolean }

const toLinks = ({ id, links }: BrainRecord): Relation[] =>
  links.map(({ predicate, to }) => ({ type: 'link', from: id, to, predicate }))

const toRelation = ({ id, subject, predicate, object }: Statement): Relation[] =>
  'record' in object ? [{ type: 'statement', from: subject.id, to: object.record.id, predicate, statement: id }] : []

/** The other ends of each record's relations. */
const listOthers = (relations: readonly Relation[]): Map<string, Set<string>> => {
  const others = new Map<string, Set<string>>()
  const add = (id: string, other: string) => {
    const known = others.get(id)
    if (known) known.add(other)
    else others.set(id, new Set([other]))
  }
  for (const { from, to } of relations)
    if (from !== to) {
      add(from, to)
      add(to, from)
    }
  return others
}

type Content = { records: readonly BrainRecord[]; statements: readonly Statement[]; isAll: boolean }

/** The most connected records with the relations between them; each counts its neighbors that are left out. */
export const chooseConnected = ({ records, statements, isAll }: Content): Start => {
  const relations = [...records.flatMap(toLinks), ...statements.flatMap(toRelation)]
  const others = listOthers(relations)
  const count = ({ id }: BrainRecord) => others.get(id)?.size ?? 0
  const chosen = [...records].sort((a, b) => count(b) - count(a)).slice(0, maxConnected)
  const ids = new Set(chosen.map(({ id }) => id))
  return {
    records: chosen.map(
      ({ id, kind, slug, version, fields }, index): NeighbourRecord => ({
        ...{ id, kind, slug, version, fields },
        distance: index < maxLabelled ? 0 : 1,
        hidden: [...(others.get(id) ?? [])].filter((other) => !ids.has(other)).length,
        hasMore: !isAll,
      }),
    ),
    relations: relations.filter(({ from, to }) => ids.has(from) && ids.has(to)),
    read: records.length,
    isAll,
  }
}
