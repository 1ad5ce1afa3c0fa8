import { listEvents } from '@noema/contracts/events.ts'
import { brainList } from '../../features/brain/brains/brains.ts'
import { type EventPage, eventList, findNewestPlace, pageJson, readPage } from '../../features/brain/stream/stream.ts'
import { openPlace } from '../../features/platform/cursors/cursors.ts'
import { defineBinding } from '../binding.ts'

export const eventBindings = [
  defineBinding(listEvents, async (deps, { principal: { brain }, query, tail }) => {
    const { types, newest } = query
    const cursor = tail?.resumeAt ?? query.after
    const after =
      cursor === undefined && newest !== undefined
        ? await findNewestPlace(deps.prepared, brain.brainId, newest)
        : await openPlace(brainList(deps.db, brain, eventList), cursor)
    if (tail) return { tail: deps.liveTails.follow(brain.brainId, { ...tail, after, types }) }
    const page = await deps.brainReads.run(
      // A page with more behind it is the same however far its reader is; one at the end must show what the primary has.
      { read: 'stream', brain, isEnough: ({ hasMore, examined }: EventPage) => hasMore || examined >= brain.position },
      ({ prepared }) => readPage(prepared, brain.brainId, { after, limit: query.limit, types }),
    )
    return { json: pageJson(brain, page) }
  }),
]
