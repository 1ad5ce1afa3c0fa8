import { maxLinked } from '@noema/contracts/query.ts'
import type { BrainRecord } from '@noema/contracts/records.ts'
import type { Queryable } from '../../../storage/database.ts'
import { selectFirstRecordsAt, selectLinking } from '../../knowledge/records/link-queries.ts'

type Following = {
  predicate?: string | undefined
  depth: number
  direction: 'out' | 'in' | 'both'
  stateVersion: number
  maxBytes: number
}

const findTargets = (records: readonly BrainRecord[], { predicate, direction }: Following): string[] =>
  direction === 'in'
    ? []
    : records.flatMap(({ links }) =>
        links.flatMap((link) => (predicate === undefined || link.predicate === predicate ? link.to : [])),
      )

const findSources = (
  db: Queryable,
  brainId: number,
  records: readonly BrainRecord[],
  { predicate, direction, stateVersion }: Following,
  limit: number,
): Promise<string[]> | string[] =>
  direction === 'out'
    ? []
    : selectLinking(db, brainId, { ids: records.map(({ id }) => id), predicate, asOf: stateVersion }, limit)

/**
 * The records that links lead to, or come from, at the state that the others were read at: each once, nearer ones first.
 * A hub has any number of them, so they are limited in number and in bytes; `isTruncated` says that there are more.
 */
export const followLinks = async (
  db: Queryable,
  brainId: number,
  records: readonly BrainRecord[],
  following: Following,
): Promise<{ linked: BrainRecord[]; isTruncated: boolean }> => {
  const { depth, stateVersion, maxBytes } = following
  const seen = new Set(records.map(({ id }) => id))
  const linked: BrainRecord[] = []
  let edge = records
  let isTruncated = false
  let left = maxBytes
  for (let step = 0; step < depth && edge.length > 0 && !isTruncated; step++) {
    // The first of them may all be known already.
    const sources = await findSources(db, brainId, edge, following, maxLinked + 1 + seen.size)
    const found = [...new Set([...findTargets(edge, following), ...sources])].filter((id) => !seen.has(id))
    const next = found.slice(0, maxLinked - linked.length)
    for (const id of next) seen.add(id)
    const { texts, isCut } = await selectFirstRecordsAt(db, brainId, next, { asOf: stateVersion, maxBytes: left })
    left -= texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0)
    edge = texts.map((text): BrainRecord => JSON.parse(text))
    linked.push(...edge)
    isTruncated = isCut || found.length > next.length
  }
  return { linked, isTruncated }
}
