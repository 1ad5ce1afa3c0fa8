import type { BrainEvent } from '@noema/contracts/events.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import { readPage, splitEvents } from '../../kernel/stream/stream.ts'
import type { ContentType } from '../../kernel/versioning/types.ts'
import { type PlacedVersion, selectVersions, type WantedVersion } from './indexing-queries.ts'

/** A version may have begun with an event, an older one may have ended. */
type Subject = Omit<WantedVersion, 'position'> & { began: boolean; ended: boolean }

/** Of which item an event tells, and what became of its versions. */
const toSubject = (event: BrainEvent): Subject | undefined => {
  const none = { version: null, state: null }
  switch (event.type) {
    case 'record.accepted': {
      const { record, operation, stateVersion = null } = event.data
      return {
        ...none,
        type: 'record',
        id: record.id,
        state: stateVersion,
        began: true,
        ended: operation === 'updated',
      }
    }
    case 'record.deleted':
      return { ...none, type: 'record', id: event.data.record.id, began: false, ended: true }
    case 'statement.asserted': {
      const { statement, stateVersion = null } = event.data
      return { ...none, type: 'statement', id: statement.id, state: stateVersion, began: true, ended: false }
    }
    case 'statement.retracted':
      return { ...none, type: 'statement', id: event.data.statement.id, began: false, ended: true }
    case 'document.served': {
      const { document, version } = event.data
      return { ...none, type: 'document', id: document.id, version, began: true, ended: version > 1 }
    }
    case 'document.retired':
      return { ...none, type: 'document', id: event.data.document.id, began: false, ended: true }
    default:
      return undefined
  }
}

/** What a batch of the stream's events did: the versions that began, in order, and the items of which one ended. */
export type StreamBatch = {
  versions: PlacedVersion[]
  /** How many versions were left out because they are longer than asked for. */
  tooLong: number
  ended: { type: ContentType; id: string }[]
  /** The position up to which this is all. */
  position: number
  hasMore: boolean
}

export type BatchLimits = { after: number; maxEvents: number; maxCharacters: number; maxVersionLength?: number }

/** Which items a page of the stream's events tells of. */
export const readSubjects = async (
  deps: { prepared: RunPrepared },
  brainId: number,
  { after, maxEvents }: Pick<BatchLimits, 'after' | 'maxEvents'>,
) => {
  const page = await readPage(deps.prepared, brainId, { after, limit: maxEvents })
  const events = splitEvents(page).map((text): BrainEvent => JSON.parse(text))
  const subjects = events.flatMap((event, index) => {
    const subject = toSubject(event)
    // Positions have no gaps, so the order tells them.
    return subject ? [{ ...subject, position: after + index + 1 }] : []
  })
  return { subjects, position: page.examined, hasMore: page.hasMore }
}

/** The stream tells of a statement's versions alike: which is the next one is known once it is read. */
const isNextStatement = ({ type, version }: PlacedVersion): boolean => type === 'statement' && version > 1

/** Reads the stream after a position, as far as `maxEvents` and `maxCharacters` allow, and one event at least. */
export const readStreamBatch = async (
  deps: { db: Db; prepared: RunPrepared },
  brainId: number,
  { after, maxEvents, maxCharacters, maxVersionLength = Number.MAX_SAFE_INTEGER }: BatchLimits,
): Promise<StreamBatch> => {
  const page = await readSubjects(deps, brainId, { after, maxEvents })
  const wanted = page.subjects.filter(({ began }) => began)
  const none = { versions: [], tooLong: 0, upTo: undefined }
  const { versions, tooLong, upTo } =
    wanted.length === 0 ? none : await selectVersions(deps.db, brainId, wanted, { maxCharacters, maxVersionLength })
  // Where texts were too long for one batch, it ends with the last event whose versions came.
  const position = upTo ?? page.position
  const ended = page.subjects.filter((subject) => subject.ended && subject.position <= position)
  return {
    versions,
    tooLong,
    ended: [...ended, ...versions.filter(isNextStatement)].map(({ type, id }) => ({ type, id })),
    position,
    hasMore: page.hasMore || upTo !== undefined,
  }
}
