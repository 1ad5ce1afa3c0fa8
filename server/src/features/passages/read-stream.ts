import type { BrainEvent } from '@noema/contracts/events.ts'
import type { Db, RunPrepared } from '../../storage/database.ts'
import { eventsOf, readPage } from '../events/events.ts'
import { type PlacedVersion, selectVersions, type WantedVersion } from './queries.ts'
import type { ThingType } from './things.ts'

type Subject = Omit<WantedVersion, 'place'> & { began: boolean }

/** Of which thing an event tells, and which of its versions began with it. */
const subjectOf = (event: BrainEvent): Subject | undefined => {
  const none = { version: null, state: null }
  switch (event.type) {
    case 'record.accepted':
      return { ...none, type: 'record', id: event.data.record.id, state: event.data.stateVersion ?? null, began: true }
    case 'record.deleted':
      return { ...none, type: 'record', id: event.data.record.id, began: false }
    case 'statement.asserted':
      return { ...none, type: 'statement', id: event.data.statement.id, began: true }
    case 'statement.retracted':
      return { ...none, type: 'statement', id: event.data.statement.id, began: false }
    case 'document.served':
      return { ...none, type: 'document', id: event.data.document.id, version: event.data.version, began: true }
    case 'document.retired':
      return { ...none, type: 'document', id: event.data.document.id, began: false }
    default:
      return undefined
  }
}

/** What a stretch of the stream did: the versions that began, in order, and everything that it tells of. */
export type Stretch = {
  versions: PlacedVersion[]
  /** How many versions were left out because they are longer than asked for. */
  tooLong: number
  touched: Record<ThingType, string[]>
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
  const told = subjects.filter(({ place }) => place <= position)
  const idsOf = (type: ThingType) => [...new Set(told.filter((subject) => subject.type === type).map(({ id }) => id))]
  return {
    versions,
    tooLong,
    touched: { record: idsOf('record'), statement: idsOf('statement'), document: idsOf('document') },
    position,
    hasMore: page.hasMore || upTo !== undefined,
  }
}
