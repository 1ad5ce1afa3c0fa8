import type { Operation } from '@noema/contracts/batch.ts'
import { findCaps } from '../access/caps.ts'
import type { BrainPrincipal, ManagerPrincipal } from '../access/principal.ts'
import type { AppDeps } from '../app-deps.ts'
import type { BrainRow } from '../features/brain/brains/brains.ts'
import { type Submitter, submitChange, type Write, type Written } from '../features/writing/commit/commit.ts'
import type { Answer, Outcome } from './binding.ts'

type WriteCall = {
  principal: (ManagerPrincipal | BrainPrincipal) & { brain: BrainRow }
  idempotencyKey: string | undefined
}

/** Who writes, as the commit engine needs it. */
export const toSubmitter = (deps: AppDeps, principal: WriteCall['principal']): Submitter => ({
  actor: principal.actor,
  caps: findCaps(deps, principal.organization),
})

/** The result of the commit engine, which says if it is that of an earlier call. */
export const settledAnswer = ({ answer, replayed }: Awaited<ReturnType<typeof submitChange>>): Answer => {
  const { outcome, data } = answer
  // Whoever keeps a refusal throws it when it comes back.
  if (outcome === 'refused') throw new Error('A refusal that was kept came back as an answer.')
  return { outcome, json: data, replayed }
}

/** Submits a write and answers what became of it; `shape` adds what the endpoint answers beside the change. */
export const answerWrite = async (
  deps: AppDeps,
  { principal, idempotencyKey }: WriteCall,
  write: Write,
  shape: (written: Written) => { outcome: Outcome; data: object },
): Promise<Answer> => {
  const settled = await submitChange(deps, toSubmitter(deps, principal), principal.brain.brainId, {
    ...write,
    idempotencyKey,
    answer: (written) => {
      const { outcome, data } = shape(written)
      const { change, stateVersion } = written
      return { outcome, data: JSON.stringify({ outcome: written.outcome, change, stateVersion, ...data }) }
    },
  })
  return settledAnswer(settled)
}

/** Submits one operation; the thing that it wrote is answered under `name`. */
export const answerOperation = (
  deps: AppDeps,
  call: WriteCall,
  name: 'record' | 'statement' | 'document',
  { operation, corrects }: { operation: Operation; corrects?: string | undefined },
): Promise<Answer> =>
  answerWrite(deps, call, { operations: [operation], corrects }, ({ outcome, applied: [one] }) => {
    if (outcome === 'landed') return { outcome: one?.created ? 'created' : 'done', data: { [name]: one?.view } }
    // Nothing is written yet: the answer names what the change is about, not how it would look.
    const { type, ...address } = one?.target ?? { type: name }
    return { outcome: 'staged', data: { [name]: address } }
  })
