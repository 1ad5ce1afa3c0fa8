import { type Actor, actFor } from '../../../shared/actor.ts'
import { forbidden } from '../../../shared/errors.ts'
import type { ScheduledWork } from '../../agents/schedules/targets.ts'
import { checkScheduledEval, startScheduledEval } from '../../evals/eval-runs/scheduled-evals.ts'
import { isStarterAllowed } from '../../evals/eval-runs/starter-queries.ts'
import { beginInto } from '../distillations/distillations.ts'
import { checkScheduledDistillation } from '../distillations/scheduled-distillations.ts'

// The evals and distillations that schedules start. Schedules lie in an area above evals and distillations, and get this as an argument.

type Deps = Parameters<typeof startScheduledEval>[0] & Parameters<typeof beginInto>[0]

const findPerson = ({ type, id, userId }: Actor): string | undefined => (type === 'session' ? id : userId)

/** The work that schedules start for those who changed them last, as these could start it themselves. */
export const createScheduledWork = (deps: Deps): ScheduledWork => ({
  check: async (db, acting, given) => {
    if ('distillation' in given)
      return { ...given, brainId: await checkScheduledDistillation(db, acting, given.distillation) }
    await checkScheduledEval(db, acting, given)
    return given
  },
  start: async ({ organizationId, scheduleId, at, actsFor }, target) => {
    if (!(await isStarterAllowed(deps.db, organizationId, actsFor, deps.clock.now())))
      throw forbidden(
        'The access of the person or key that changed this schedule last has ended. Save it again, and it acts for you.',
      )
    const acting = { organizationId, by: actFor(scheduleId, actsFor), viewer: findPerson(actsFor) }
    const scheduled = { scheduleId, at }
    return 'distillation' in target
      ? beginInto(deps, acting, { request: target.distillation, brain: target.brainId }, { scheduled })
      : startScheduledEval(deps, acting, scheduled, target)
  },
})
