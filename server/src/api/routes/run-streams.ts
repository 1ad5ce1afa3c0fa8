import { streamRun } from '@noema/contracts/run-stream.ts'
import { refuseAt, validation } from '../../shared/errors.ts'
import { defineBinding } from '../binding.ts'
import { isRunHidden } from '../hidden-items.ts'
import { checkId } from '../path-arguments.ts'

/** The number of the part that a client had last, as it says in Last-Event-ID. */
const readPlace = (id: string): number => {
  if (/^\d{1,9}$/.test(id)) return Number(id)
  throw refuseAt(['Last-Event-ID'], 'Last-Event-ID is the id of a part that the stream sent: a whole number.')
}

export const runStreamBindings = [
  defineBinding(streamRun, async (deps, { principal, params, query, tail }) => {
    if (!tail) throw validation('A run is streamed over HTTP alone; read its messages instead.')
    const run = { organizationId: principal.organization.id, id: checkId(params.id) }
    const after = tail.resumeAt === undefined ? (query.after ?? 0) : readPlace(tail.resumeAt)
    const isStillAllowed = async () =>
      (await isRunHidden(deps.db, run, principal.userId)) ? false : tail.isStillAllowed()
    return { parts: await deps.runFeeds.follow(run, { ...tail, isStillAllowed, after }) }
  }),
]
