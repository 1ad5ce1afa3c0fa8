import { listEvents } from '@noema/contracts/events.ts'
import { brainList } from '../../features/brain/brains/brains.ts'
import { eventList, pageJson, readPage } from '../../features/brain/stream/stream.ts'
import { openPlace } from '../../features/platform/cursors/cursors.ts'
import { defineBinding } from '../binding.ts'

export const eventBindings = [
  defineBinding(listEvents, async (deps, { principal: { brain }, query, tail }) => {
    const { types } = query
    const after = await openPlace(brainList(deps.db, brain, eventList), tail?.resumeAt ?? query.after)
    if (tail) return { tail: deps.liveTails.follow(brain.brainId, { ...tail, after, types }) }
    const page = await readPage(deps.prepared, brain.brainId, { after, limit: query.limit, types })
    return { json: pageJson(brain, page) }
  }),
]
