import type { Operation } from '@noema/contracts/batch.ts'
import type { BrainCaller, ManagementCaller } from '../../access/caller.ts'
import { capsOf } from '../../access/caps.ts'
import type { AppDeps } from '../../app-deps.ts'
import type { BrainRow } from '../../features/brains/brains.ts'
import { type Landed, submitChange, type Write } from '../../features/changes/changes.ts'
import type { Answer } from '../endpoint.ts'

type WriteCall = {
  caller: (ManagementCaller | BrainCaller) & { brain: BrainRow }
  idempotencyKey: string | undefined
}

/** Submits a write and answers what landed; `shape` adds what the endpoint answers beside the change. */
export const answerWrite = async (
  deps: AppDeps,
  { caller, idempotencyKey }: WriteCall,
  write: Write,
  shape: (landed: Landed) => { status: number; data: object },
): Promise<Answer> => {
  const writer = { keyId: caller.keyId, caps: capsOf(deps, caller.organization) }
  const { answer, replayed } = await submitChange(deps, writer, caller.brain.brainId, {
    ...write,
    idempotencyKey,
    answer: (landed) => {
      const { status, data } = shape(landed)
      const { change, stateVersion } = landed
      return { status, data: JSON.stringify({ outcome: 'landed', change, stateVersion, ...data }) }
    },
  })
  return { status: answer.status, json: answer.data, headers: replayed ? { 'idempotent-replayed': 'true' } : {} }
}

/** Submits one operation; the thing that it wrote is answered under `name`. */
export const answerOperation = (
  deps: AppDeps,
  call: WriteCall,
  name: 'record' | 'statement' | 'document',
  { operation, corrects }: { operation: Operation; corrects?: string | undefined },
): Promise<Answer> =>
  answerWrite(deps, call, { operations: [operation], corrects }, ({ applied: [one] }) => ({
    status: one?.created ? 201 : 200,
    data: { [name]: one?.view },
  }))
