import type { Operation } from '@noema/contracts/batch.ts'
import { capsOf } from '../access/caps.ts'
import type { BrainPrincipal, ManagerPrincipal } from '../access/principal.ts'
import type { AppDeps } from '../app-deps.ts'
import type { BrainRow } from '../features/brain/brains/brains.ts'
import { type Submitter, submitChange, type Write, type Written } from '../features/writing/commit/commit.ts'
import type { Answer } from './binding.ts'

type WriteCall = {
  caller: (ManagerPrincipal | BrainPrincipal) & { brain: BrainRow }
  idempotencyKey: string | undefined
}

/** Who writes, as the write door wants to know it. */
export const submitterOf = (deps: AppDeps, caller: WriteCall['caller']): Submitter => ({
  actor: caller.actor,
  caps: capsOf(deps, caller.organization),
})

/** The answer that the write door gave, which says when it is that of an earlier call. */
export const settledAnswer = ({ answer, replayed }: Awaited<ReturnType<typeof submitChange>>): Answer => ({
  status: answer.status,
  json: answer.data,
  headers: replayed ? { 'idempotent-replayed': 'true' } : {},
})

/** Submits a write and answers what became of it; `shape` adds what the endpoint answers beside the change. */
export const answerWrite = async (
  deps: AppDeps,
  { caller, idempotencyKey }: WriteCall,
  write: Write,
  shape: (written: Written) => { status: number; data: object },
): Promise<Answer> => {
  const settled = await submitChange(deps, submitterOf(deps, caller), caller.brain.brainId, {
    ...write,
    idempotencyKey,
    answer: (written) => {
      const { status, data } = shape(written)
      const { outcome, change, stateVersion } = written
      return { status, data: JSON.stringify({ outcome, change, stateVersion, ...data }) }
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
    if (outcome === 'landed') return { status: one?.created ? 201 : 200, data: { [name]: one?.view } }
    // Nothing is written yet: the answer names what the change is about, not how it would look.
    const { type, ...address } = one?.target ?? { type: name }
    return { status: 202, data: { [name]: address } }
  })
