import { listEvents } from '@noema/contracts/events.ts'
import { brainList } from '../../features/kernel/brains/brains.ts'
import {
  type EventPage,
  eventList,
  findNewestPosition,
  pageJson,
  readPage,
} from '../../features/kernel/stream/stream.ts'
import { openPosition } from '../../features/platform/cursors/cursors.ts'
import { ApiError } from '../../shared/errors.ts'
import { defineBinding } from '../binding.ts'
import { movePaths } from '../errors.ts'

/** The refusal of a cursor in Last-Event-ID, with that header as its path. */
const inLastEventId = (error: unknown): never => {
  throw error instanceof ApiError ? movePaths(error, () => ['Last-Event-ID']) : error
}

export const eventBindings = [
  defineBinding(listEvents, async (deps, { principal: { brain }, query, tail }) => {
    const { types, newest } = query
    const list = brainList(deps.db, brain, eventList)
    const findStart = async (): Promise<number> => {
      if (tail?.resumeAt !== undefined) return openPosition(list, tail.resumeAt).catch(inLastEventId)
      if (query.after === undefined && newest !== undefined)
        return findNewestPosition(deps.prepared, brain.brainId, newest)
      return openPosition(list, query.after)
    }
    const after = await findStart()
    if (tail) return { tail: deps.liveTails.follow(brain.brainId, { ...tail, after, types }) }
    const page = await deps.brainReads.run(
      // A page with more events after it is the same on every replica; the last page must show all that the primary has.
      { read: 'stream', brain, isEnough: ({ hasMore, examined }: EventPage) => hasMore || examined >= brain.position },
      ({ prepared }) => readPage(prepared, brain.brainId, { after, limit: query.limit, types }),
    )
    return { json: pageJson(brain, page) }
  }),
]
