import {
  abandonGoal,
  createGoal,
  getGoal,
  listGoalAttempts,
  listGoals,
  patchGoal,
  pauseGoal,
  resumeGoal,
} from '@noema/contracts/goals.ts'
import type { ManagerPrincipal } from '../../access/principal.ts'
import * as goals from '../../features/evals/goals/goals.ts'
import { defineBinding } from '../binding.ts'
import { checkId } from '../path-arguments.ts'

const toTarget = ({ organization, actor }: ManagerPrincipal, id: string) => ({
  ...{ organizationId: organization.id, id: checkId(id), by: actor },
})

export const goalBindings = [
  defineBinding(createGoal, async (deps, { principal, body }) => {
    const acting = { organizationId: principal.organization.id, by: principal.actor, viewer: principal.viewer }
    return { data: { goal: await goals.makeGoal(deps, acting, body) } }
  }),
  defineBinding(listGoals, async (deps, { principal, query }) => {
    const { id } = principal.organization
    const { state, agentId } = query
    const list = { scope: deps.listScope(id), list: `goals ${JSON.stringify({ state, agentId })}`, start: '' }
    const filter = { state, agentId, viewer: principal.viewer }
    return { data: await goals.listGoalPage(deps, id, { list, query, filter }) }
  }),
  defineBinding(getGoal, async (deps, { principal, params }) => ({
    data: { goal: await goals.readGoal(deps, toTarget(principal, params.id)) },
  })),
  defineBinding(patchGoal, async (deps, { principal, params, body }) => ({
    data: { goal: await goals.changeBudget(deps, toTarget(principal, params.id), body.budget) },
  })),
  defineBinding(pauseGoal, async (deps, { principal, params }) => ({
    data: { goal: await goals.pauseGoal(deps, toTarget(principal, params.id)) },
  })),
  defineBinding(resumeGoal, async (deps, { principal, params, body }) => ({
    data: { goal: await goals.resumeGoal(deps, toTarget(principal, params.id), body?.advice) },
  })),
  defineBinding(abandonGoal, async (deps, { principal, params }) => ({
    data: { goal: await goals.abandonGoal(deps, toTarget(principal, params.id)) },
  })),
  defineBinding(listGoalAttempts, async (deps, { principal, params, query }) => {
    const target = toTarget(principal, params.id)
    const list = { scope: deps.listScope(target.organizationId), list: `goal-attempts:${target.id}`, start: 0 }
    return { data: await goals.listAttemptPage(deps, target, { list, query }) }
  }),
]
