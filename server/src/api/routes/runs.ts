import { cancelRun, getRun, listRuns, startRun } from '@noema/contracts/runs.ts'
import { runView } from '../../features/agents/runs/run-view.ts'
import { awaitEnd, cancelRun as endByCancel, findRun, listRunPage } from '../../features/agents/runs/runs.ts'
import { startRun as start } from '../../features/agents/runs/start-run.ts'
import { endPage, openPage } from '../../features/platform/cursors/cursors.ts'
import { unauthorized } from '../../shared/errors.ts'
import { defineBinding } from '../binding.ts'
import { refuseHiddenRun } from '../hidden-items.ts'
import { checkId } from '../path-arguments.ts'

export const runBindings = [
  defineBinding(startRun, async (deps, { principal, body, idempotencyKey, wait, traceparent, isStillAllowed }) => {
    const organizationId = principal.organization.id
    const { actor } = principal
    const { run, isReplay } = await start(deps, { ...body, organizationId, actor, idempotencyKey, traceparent })
    if (isReplay) await refuseHiddenRun(deps.db, run, principal.userId)
    const answer = (ended: typeof run, waited: boolean) => ({
      data: { run: runView(ended) },
      outcome: waited && ended.completedAt !== null ? ('done' as const) : ('staged' as const),
      ...{ replayed: isReplay, waited },
    })
    const waiting = wait?.begin()
    if (!waiting) return answer(run, false)
    try {
      const ended = await awaitEnd(
        deps,
        { organizationId, id: run.id },
        {
          ...{ signal: waiting.signal, isNew: !isReplay },
        },
      )
      if ((await isStillAllowed()) === false) throw unauthorized('This key was revoked while the run went on.')
      await refuseHiddenRun(deps.db, ended, principal.userId)
      return answer(ended, true)
    } finally {
      waiting.end()
    }
  }),
  defineBinding(listRuns, async (deps, { principal, query }) => {
    const { id } = principal.organization
    const { limit, order, after: _, ...filter } = query
    const list = { scope: deps.listScope(id), list: `runs ${JSON.stringify(filter)}`, start: '' }
    const page = await openPage(list, query)
    const { shown, last, hasMore } = await listRunPage(
      deps,
      id,
      { ...filter, viewer: principal.viewer },
      { after: page.after, limit, order },
    )
    return { data: { runs: shown.map(runView), cursor: endPage(page, last), hasMore } }
  }),
  defineBinding(getRun, async (deps, { principal, params }) => {
    const place = { organizationId: principal.organization.id, id: checkId(params.id) }
    return { data: { run: runView(await findRun(deps, place)) } }
  }),
  defineBinding(cancelRun, async (deps, { principal, params, body }) => {
    const place = { organizationId: principal.organization.id, id: checkId(params.id) }
    return { data: { run: await endByCancel(deps, place, body?.reason ?? 'Cancelled by request.') } }
  }),
]
