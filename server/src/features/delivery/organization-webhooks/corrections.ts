import type { JsonObject } from '../../../shared/text/json.ts'
import type { Queryable } from '../../../storage/database.ts'
import { findConsumers, findCorrected } from '../../retrieval/receipts/corrections.ts'
import { selectChanges } from '../../writing/commit/change-store.ts'

/** The fields of a correction in the outbox. */
type Correction = { brainId: number; brain: string; change: string; corrects: string; stateVersion: number }

/**
 * The data of knowledge.corrected: the addresses that the corrected change and its correction wrote, and everyone who was served
 * a version that is now corrected (D-44). It is gathered after the commit, so that the write does not pay for it.
 */
export const correctionData = async (db: Queryable, stored: JsonObject) => {
  const { brainId, brain, change, corrects, stateVersion } = stored as Correction
  const changes = await selectChanges(db, brainId, [change, corrects])
  const [correcting, corrected] = [change, corrects].map((id) => changes.find((one) => one.id === id))
  const targets = new Map(
    [corrected, correcting].flatMap((one) =>
      (one?.items ?? []).map(({ target }) => [`${target.type} ${target.id}`, target] as const),
    ),
  )
  const of = (type: 'record' | 'statement' | 'document') =>
    [...targets.values()]
      .filter((target) => target.type === type)
      .map(({ id, kind }): JsonObject => (kind === undefined ? { id } : { id, kind }))
  const versions = correcting && corrected ? findCorrected(correcting, corrected) : []
  return {
    ...{ brain, change, corrects },
    ...{ records: of('record'), statements: of('statement'), documents: of('document') },
    stateVersion,
    consumers: await findConsumers(db, { brainId }, versions),
  }
}
