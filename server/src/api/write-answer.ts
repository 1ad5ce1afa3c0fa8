import type { Operation } from '@noema/contracts/batch.ts'
import { mayRead } from '../access/authorize.ts'
import { findCaps } from '../access/limits.ts'
import type { BrainPrincipal, ManagerPrincipal } from '../access/principal.ts'
import type { BrainRow } from '../features/kernel/brains/brain-queries.ts'
import type { Submitter, Written } from '../features/writing/commit/apply-or-stage.ts'
import { submitChange, type Write } from '../features/writing/commit/commit.ts'
import type { WritePrecondition } from '../features/writing/commit/write-request.ts'
import { ApiError, validation } from '../shared/errors.ts'
import type { AppDeps } from './app-deps.ts'
import type { Answer, Outcome } from './binding.ts'
import { findWrongOrigin, type Origin } from './check-origin.ts'

type WriteCall = {
  principal: (ManagerPrincipal | BrainPrincipal) & { brain: BrainRow }
  idempotencyKey: string | undefined
  guard?: WritePrecondition | undefined
  asked?: unknown
}

/** The writer, as the commit engine needs it. */
export const toSubmitter = (deps: AppDeps, principal: WriteCall['principal']): Submitter => ({
  actor: principal.actor,
  mayRead: mayRead(principal),
  caps: findCaps(deps.limits, principal.organization),
})

/** The result of the commit engine, which says if it is that of an earlier call. */
export const settledAnswer = ({ answer, replayed }: Awaited<ReturnType<typeof submitChange>>): Answer => {
  const { outcome, data } = answer
  // The code that stores a refusal throws it when it is replayed.
  if (outcome === 'refused') throw new Error('A refusal that was kept came back as an answer.')
  return { outcome, json: data, replayed }
}

/**
 * Refuses a change of kind without naming the fields that prevent it: they belong to stored content, which the caller may not
 * read. Other refusals by the schema are about the request.
 */
const refuseRetyping = (error: unknown, { operations }: Write): unknown => {
  const retypes = operations.some(
    ({ op, kind }: Operation & { kind?: string | undefined }) => op === 'record.patch' && kind,
  )
  if (!(error instanceof ApiError) || error.code !== 'schema_violation' || !retypes) return error
  const message =
    'The schema does not allow the record as it would be under this kind. A key with read sees which of its fields are in the way.'
  return validation(message, { code: 'schema_violation' })
}

const listOrigins = ({ operations, isBatch = false }: Write): Origin[] =>
  operations.map((operation, index) => ({
    at: isBatch ? ['operations', index] : [],
    provenance: 'provenance' in operation ? operation.provenance : undefined,
  }))

type Shape = (written: Written) => { outcome: Outcome; data: object }

const submitWrite = async (
  deps: AppDeps,
  { principal, idempotencyKey, guard, asked }: WriteCall,
  write: Write,
  shape: Shape,
): Promise<{ answer: Answer; submitter: Submitter }> => {
  const submitter = toSubmitter(deps, principal)
  const isSourced =
    !write.restores && write.operations.some((operation) => 'provenance' in operation && operation.provenance)
  const refusal =
    write.refusal ?? (isSourced ? await findWrongOrigin(deps, { principal }, listOrigins(write)) : undefined)
  const settled = await submitChange(deps, submitter, principal.brain.brainId, {
    ...{ ...write, refusal, idempotencyKey, precondition: guard, asked: write.asked ?? asked },
    answer: (written) => {
      const { outcome, data } = shape(written)
      const { change, stateVersion, missing } = written
      const shared = { outcome: written.outcome, change, stateVersion, ...(missing.length > 0 ? { missing } : {}) }
      return { outcome, data: JSON.stringify({ ...shared, ...data }) }
    },
  }).catch((error: unknown) => {
    throw submitter.mayRead ? error : refuseRetyping(error, write)
  })
  return { answer: settledAnswer(settled), submitter }
}

/** Submits a write and returns its result; `shape` adds the endpoint's own fields to the change. */
export const answerWrite = async (deps: AppDeps, call: WriteCall, write: Write, shape: Shape): Promise<Answer> =>
  (await submitWrite(deps, call, write, shape)).answer

/** The address of an item: its id, and its kind and version if it has them. */
const toAddress = ({ id, kind, version }: Record<string, unknown>) => ({ id, kind, version })

/** An answer whose item is reduced to its address. The answer of an earlier call is the text that was stored. */
const withoutContent = (answer: Answer, name: string): Answer => {
  const data = 'json' in answer ? JSON.parse(answer.json) : answer.data
  const { outcome, replayed = false } = answer
  return { ...(outcome ? { outcome } : {}), replayed, data: { ...data, [name]: toAddress(data[name]) } }
}

/** Submits one operation and answers with the item that it wrote under `name`; callers that may not read get its address (AUT-04). */
export const answerOperation = async (
  deps: AppDeps,
  call: WriteCall,
  name: 'record' | 'statement' | 'document',
  { operation, corrects }: { operation: Operation; corrects?: string | undefined },
): Promise<Answer> => {
  const write = { operations: [operation], corrects }
  const { answer, submitter } = await submitWrite(deps, call, write, ({ outcome, applied: [one] }) => {
    if (outcome === 'landed') return { outcome: one?.created ? 'created' : 'done', data: { [name]: one?.view } }
    // Nothing is written yet: the answer names the item, without its future content.
    const { type, ...address } = one?.target ?? { type: name }
    return { outcome: 'staged', data: { [name]: address } }
  })
  return submitter.mayRead ? answer : withoutContent(answer, name)
}
