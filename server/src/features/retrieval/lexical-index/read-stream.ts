import type { BrainEvent, NewEvent } from '@noema/contracts/events.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import { readPage, splitEvents } from '../../kernel/stream/stream.ts'
import type { ContentType } from '../../kernel/versioning/types.ts'
import { type EventVersion, type PlacedVersion, selectVersions } from './indexing-queries.ts'

/** The item of an event: a version of it may have begun, an older one may have ended. */
type Subject = Omit<EventVersion, 'position'> & { began: boolean; ended: boolean }

/** The item of an event, and whether a version of it began or ended. */
const toSubject = (event: NewEvent): Subject | undefined => {
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

/** The changes of a batch of events: the versions that began, in order, and the items of which a version ended. */
export type StreamBatch = {
  versions: PlacedVersion[]
  /** The number of versions that were left out because they are too long. */
  tooLong: number
  ended: { type: ContentType; id: string }[]
  /** The position up to which the batch is complete. */
  position: number
  hasMore: boolean
}

export type BatchLimits = { after: number; maxEvents: number; maxCharacters: number; maxVersionLength?: number }

/** The items of events after a position. Positions have no gaps, so they follow from the order. */
export const toSubjects = (events: readonly NewEvent[], after: number) =>
  events.flatMap((event, index) => {
    const subject = toSubject(event)
    return subject ? [{ ...subject, position: after + index + 1 }] : []
  })

/** The items of a page of the stream's events. */
export const readSubjects = async (
  deps: { prepared: RunPrepared },
  brainId: number,
  { after, maxEvents }: Pick<BatchLimits, 'after' | 'maxEvents'>,
) => {
  const page = await readPage(deps.prepared, brainId, { after, limit: maxEvents })
  const events = splitEvents(page).map((text): BrainEvent => JSON.parse(text))
  return { subjects: toSubjects(events, after), position: page.examined, hasMore: page.hasMore }
}

/** Events do not say which version of a statement they are about: the row says it once it is read. */
const isNextStatement = ({ type, version }: PlacedVersion): boolean => type === 'statement' && version > 1

/** Reads the stream after a position, as far as `maxEvents` and `maxCharacters` allow, and one event at least. */
export const readStreamBatch = async (
  deps: { db: Db; prepared: RunPrepared },
  brainId: number,
  { after, maxEvents, maxCharacters, maxVersionLength = Number.MAX_SAFE_INTEGER }: BatchLimits,
): Promise<StreamBatch> => {
  const page = await readSubjects(deps, brainId, { after, maxEvents })
  const begun = page.subjects.filter(({ began }) => began)
  const none = { versions: [], tooLong: 0, upTo: undefined }
  const { versions, tooLong, upTo } =
    begun.length === 0 ? none : await selectVersions(deps.db, brainId, begun, { maxCharacters, maxVersionLength })
  // If texts were too long for one batch, it ends with the last event whose versions were read.
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
