import { listEvents } from '@noema/contracts/events.ts'
import type { AppDeps } from '../../app-deps.ts'
import { brainList } from '../../features/brain/brains/brains.ts'
import { followEvents } from '../../features/brain/live-tail/live-tail.ts'
import { eventList, pageJson, readPage, splitEvents } from '../../features/brain/stream/stream.ts'
import { openPlace } from '../../features/platform/cursors/cursors.ts'
import { type Call, defineBinding, type TailCall } from '../binding.ts'

// A tail outlives its key's revocation by no more than this.
const checkEveryMilliseconds = 5_000

/** The events of a live tail as JSON text, page by page; an empty page says that there is nothing new. */
async function* findTail(deps: AppDeps, { principal, query }: Call<typeof listEvents>, tail: TailCall, after: number) {
  const start = { after, types: query.types }
  let checkedAt = deps.clock.now().getTime()
  for await (const page of followEvents(deps, principal.brain.brainId, start, tail.signal)) {
    const now = deps.clock.now().getTime()
    if (now - checkedAt > checkEveryMilliseconds) {
      if (!(await tail.isStillAllowed())) return
      checkedAt = now
    }
    yield splitEvents(page)
  }
}

export const eventBindings = [
  defineBinding(listEvents, async (deps, call) => {
    const { principal, query, tail } = call
    const { brain } = principal
    const after = await openPlace(brainList(deps.db, brain, eventList), tail?.resumeAt ?? query.after)
    if (tail) return { tail: findTail(deps, call, tail, after) }
    const page = await readPage(deps.prepared, brain.brainId, { after, limit: query.limit, types: query.types })
    return { json: pageJson(brain, page) }
  }),
]
