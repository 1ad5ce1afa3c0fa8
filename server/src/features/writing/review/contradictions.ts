import type { Statement } from '@noema/contracts/statements.ts'
import type { Queryable } from '../../../storage/database.ts'
import type { CompiledSchema } from '../../knowledge/kinds/kinds.ts'
import { toIdentity } from '../../knowledge/statements/identity.ts'
import { type SamePredicate, selectSamePredicate } from '../../knowledge/statements/same-predicate-queries.ts'

// A statement contradicts another if both say something else of one subject by one predicate, and are true at the same time.
// The schema says which predicates may have several objects.

type Said = Pick<Statement, 'subject' | 'predicate' | 'object'> & {
  validFrom?: string | null | undefined
  validTo?: string | null | undefined
}

/** A change that is examined. `isApplied`: its statements were made already, and one contradicts nothing once it is retracted. */
export type ExaminedChange = {
  brainId: number
  isApplied: boolean
  /** The ids that it writes or ends: what is live under these is about to be replaced. */
  written: ReadonlySet<string>
  schema: CompiledSchema
}

/** A statement of a change. */
export type Asserted = Said & { id: string; change: ExaminedChange }

/** The statements that one contradicts; undefined where that was not examined. */
export type Contradicted = string[] | undefined

/** Statements of one list that are examined. */
const maxExamined = 200
/** The length of an object as JSON text up to which it is compared. */
const maxCompared = 10_000
/** Statements of one change, subject and predicate that each of them is compared with. */
const maxAmong = 20
/** Contradictions that are reported of one statement. */
const maxReported = 5

/** True if the schema lets a subject have several objects by this predicate. */
const mayHaveSeveral = ({ change: { schema }, subject, predicate }: Asserted): boolean => {
  const kind = schema.byKind.get(subject.kind)
  return kind?.links.get(predicate)?.many === true || kind?.fields.get(predicate)?.many === true
}

const isSameObject = (said: Said, other: Pick<SamePredicate, 'identity' | 'validFrom' | 'record'>): boolean => {
  if ('record' in said.object && said.object.record.id === other.record) return true
  return toIdentity({ ...said, validFrom: other.validFrom }) === other.identity
}

const meet = (one: Said, other: Said): boolean =>
  (!one.validTo || !other.validFrom || one.validTo > other.validFrom) &&
  (!other.validTo || !one.validFrom || other.validTo > one.validFrom)

const toOther = (said: Asserted) => ({
  identity: toIdentity(said),
  validFrom: said.validFrom ?? null,
  record: 'record' in said.object ? said.object.record.id : null,
})

/** The statements of the same list that one contradicts. */
const findAmong = (said: Asserted, others: readonly Asserted[]): string[] =>
  others
    .filter((other) => other.id !== said.id && meet(said, other) && !isSameObject(said, toOther(other)))
    .map(({ id }) => id)

/** The statements of the same change with the same subject and predicate, the first of them, for each statement. */
const groupBySubject = (asserted: Iterable<Asserted>): ReadonlyMap<Asserted, readonly Asserted[]> => {
  const found = new Map<Asserted, readonly Asserted[]>()
  for (const own of Map.groupBy(asserted, ({ change }) => change).values())
    for (const some of Map.groupBy(own, ({ subject, predicate }) => JSON.stringify([subject.id, predicate])).values())
      for (const said of some) found.set(said, some.slice(0, maxAmong))
  return found
}

/** Finds the statements that each of these contradicts: live ones, and others of the same change. */
export const findContradictions = async (db: Queryable, asserted: readonly Asserted[]): Promise<Contradicted[]> => {
  const single = new Map<Asserted, number>()
  const unexamined = new Set<Asserted>()
  for (const [place, said] of asserted.entries()) {
    if (mayHaveSeveral(said)) continue
    if (single.size < maxExamined && JSON.stringify(said.object).length <= maxCompared) single.set(said, place)
    else unexamined.add(said)
  }
  const requested = [...single].map(([{ id, change, subject, predicate, validFrom, validTo }, place]) => ({
    ...{ brainId: change.brainId, place, predicate, own: change.isApplied ? id : null },
    ...{ subject: subject.id, validFrom: validFrom ?? null, validTo: validTo ?? null },
  }))
  const live = Map.groupBy(await selectSamePredicate(db, requested), ({ place }) => place)
  const among = groupBySubject(single.keys())
  return asserted.map((said, place) => {
    if (unexamined.has(said)) return undefined
    const { isApplied, written } = said.change
    const found = (live.get(place) ?? []).filter(
      ({ id, ...other }) => (isApplied || !written.has(id)) && !isSameObject(said, other),
    )
    const others = isApplied ? [] : findAmong(said, among.get(said) ?? [])
    return [...new Set([...others, ...found.map(({ id }) => id)])].slice(0, maxReported)
  })
}
