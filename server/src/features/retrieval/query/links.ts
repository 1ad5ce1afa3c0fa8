import { maxLinked } from '@noema/contracts/query.ts'
import type { BrainRecord } from '@noema/contracts/records.ts'
import type { Queryable } from '../../../storage/database.ts'
import { selectRecordsAt } from '../../brain/records/records.ts'

type Following = { predicate?: string | undefined; depth: number; stateVersion: number }

/** The records that links lead to, at the state that the others were read at: each once, nearer ones first. */
export const followLinks = async (
  db: Queryable,
  brainId: number,
  records: readonly BrainRecord[],
  { predicate, depth, stateVersion }: Following,
): Promise<BrainRecord[]> => {
  const seen = new Set(records.map(({ id }) => id))
  const linked: BrainRecord[] = []
  let edge = records
  for (let step = 0; step < depth && edge.length > 0; step++) {
    const followed = edge.flatMap(({ links }) =>
      links.flatMap((link) => (predicate === undefined || link.predicate === predicate ? link.to : [])),
    )
    const targets = [...new Set(followed)].filter((id) => !seen.has(id)).slice(0, maxLinked - linked.length)
    for (const id of targets) seen.add(id)
    const found = targets.length === 0 ? [] : await selectRecordsAt(db, brainId, targets, stateVersion)
    const byId = new Map(found.map((record) => [record.id, record]))
    edge = targets.flatMap((id) => byId.get(id) ?? [])
    linked.push(...edge)
  }
  return linked
}
