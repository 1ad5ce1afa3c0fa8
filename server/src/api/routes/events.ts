import { listEvents } from '@noema/contracts/events.ts'
import type { AppDeps } from '../../app-deps.ts'
import { eventsOf, pageJson, readPage } from '../../features/brain/stream/stream.ts'
import { followEvents } from '../../features/brain/stream/tail.ts'
import { openPlace } from '../../features/brain/versioning/reading.ts'
import { type Call, route } from '../endpoint.ts'

const wantsTail = (headers: Call<typeof listEvents>['headers']): boolean =>
  headers.accept?.split(',').some((type) => type.trim().startsWith('text/event-stream')) ?? false

/** The cursor and type of an event that is at hand as JSON text, which every event begins with. */
const addressOf = (event: string) => /^\{"cursor":"([^"]+)","type":"([^"]+)"/.exec(event)

// A tail outlives its key's revocation by no more than this.
const checkEveryMilliseconds = 5_000

/** The stream as Server-Sent Events: `id` the cursor, `event` the type, `data` the event as pages list it. */
async function* eventMessages(deps: AppDeps, call: Call<typeof listEvents>, after: number) {
  // Said first, so that a client behind a proxy knows at once that it is connected.
  yield ': connected\n\n'
  const start = { after, types: call.query.types }
  let checkedAt = deps.clock.now().getTime()
  for await (const page of followEvents(deps, call.caller.brain.brainId, start, call.signal)) {
    const now = deps.clock.now().getTime()
    if (now - checkedAt > checkEveryMilliseconds) {
      if (!(await call.isStillAllowed())) return
      checkedAt = now
    }
    const messages = eventsOf(page).map((event) => {
      const [, cursor, type] = addressOf(event) ?? []
      return `id: ${cursor}\nevent: ${type}\ndata: ${event}\n\n`
    })
    // A heartbeat carries no id, so it moves no reader's place.
    yield messages.length > 0 ? messages.join('') : ': nothing new\n\n'
  }
}

export const eventRoutes = [
  route(listEvents, async (deps: AppDeps, call) => {
    const { caller, query, headers } = call
    const { brain } = caller
    const tail = wantsTail(headers)
    const lastEventId = tail ? headers['last-event-id'] : undefined
    const resumeAt = typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : query.after
    const after = await openPlace(deps.db, brain, { list: 'events', start: 0 }, resumeAt)
    if (tail) return { stream: eventMessages(deps, call, after) }
    const page = await readPage(deps.prepared, brain.brainId, { after, limit: query.limit, types: query.types })
    return { json: pageJson(brain, page) }
  }),
]
