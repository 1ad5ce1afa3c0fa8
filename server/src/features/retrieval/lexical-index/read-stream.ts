import type { BrainEvent } from '@noema/contracts/events.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import { eventsOf, readPage } from '../../brain/stream/stream.ts'
import { type PlacedVersion, selectVersions, type WantedVersion } from './indexing-queries.ts'
import type { ThingType } from './knowledge-item.ts'

/** A version may have begun with an event, an older one may have ended. */
type Subject = Omit<WantedVersion, 'place'> & { began: boolean; ended: boolean }

/** Of which thing an event tells, and what became of its versions. */
const subjectOf = (event: BrainEvent): Subject | undefined => {
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
    case 'statement.asserted':
      return { ...none, type: 'statement', id: event.data.statement.id, began: true, ended: false }
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

/** What a stretch of the stream did: the versions that began, in order, and the things of which one ended. */
export type Stretch = {
  versions: PlacedVersion[]
  /** How many versions were left out because they are longer than asked for. */
  tooLong: number
  ended: { type: ThingType; id: string }[]
  /** The position up to which this is all. */
  position: number
  hasMore: boolean
}

export type Reach = { after: number; mostEvents: number; mostCharacters: number; longest?: number }

/** Reads the stream after a position, as far as `mostEvents` and `mostCharacters` allow, and one event at least. */
export const readStretch = async (
  deps: { db: Db; prepared: RunPrepared },
  brainId: number,
  { after, mostEvents, mostCharacters, longest = Number.MAX_SAFE_INTEGER }: Reach,
): Promise<Stretch> => {
  const page = await readPage(deps.prepared, brainId, { after, limit: mostEvents })
  const events = eventsOf(page).map((text): BrainEvent => JSON.parse(text))
  const subjects = events.flatMap((event, index) => {
    const subject = subjectOf(event)
    // Positions have no gaps, so the order tells them.
    return subject ? [{ ...subject, place: after + index + 1 }] : []
  })
  const wanted = subjects.filter(({ began }) => began)
  const none = { versions: [], tooLong: 0, upTo: undefined }
  const { versions, tooLong, upTo } =
    wanted.length === 0 ? none : await selectVersions(deps.db, brainId, wanted, { mostCharacters, longest })
  // Where texts were too long for one stretch, it ends with the last event whose versions came.
  const position = upTo ?? page.examined
  const ended = subjects.filter((subject) => subject.ended && subject.place <= position)
  return {
    versions,
    tooLong,
    ended: ended.map(({ type, id }) => ({ type, id })),
    position,
    hasMore: page.hasMore || upTo !== undefined,
  }
}
