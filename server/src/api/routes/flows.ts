import { finishFlow, getStep, putStep, startFlow } from '@noema/contracts/flows.ts'
import type { ManagerPrincipal } from '../../access/principal.ts'
import { beginRunOfSteps, finishRunOfSteps } from '../../features/agents/flows/flows.ts'
import { readStep, storeStep } from '../../features/agents/flows/steps.ts'
import { defineBinding } from '../binding.ts'
import { checkId, checkStepKey } from '../path-arguments.ts'

const toRun = ({ organization }: ManagerPrincipal, id: string) => ({
  ...{ organizationId: organization.id, id: checkId(id) },
})

export const flowBindings = [
  defineBinding(startFlow, async (deps, { principal, body, idempotencyKey, traceparent }) => {
    const { organization, actor, viewer } = principal
    const starting = { organizationId: organization.id, actor, viewer, idempotencyKey, traceparent }
    const { run, isReplay } = await beginRunOfSteps(deps, starting, body)
    return { data: { run }, replayed: isReplay }
  }),
  defineBinding(getStep, async (deps, { principal, params }) => {
    const key = { ...toRun(principal, params.id), key: checkStepKey(params.key) }
    return { data: { step: await readStep(deps, key) } }
  }),
  defineBinding(putStep, async (deps, { principal, params, body }) => {
    const key = { ...toRun(principal, params.id), key: checkStepKey(params.key) }
    return { data: await storeStep(deps, key, body) }
  }),
  defineBinding(finishFlow, async (deps, { principal, params, body }) => ({
    data: { run: await finishRunOfSteps(deps, toRun(principal, params.id), body) },
  })),
]
