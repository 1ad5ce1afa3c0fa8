import type { ScheduledDistillation } from '@noema/contracts/distillations.ts'
import type { RunInput } from '@noema/contracts/runs.ts'
import type { Actor } from '../../../shared/actor.ts'
import { invalidArgument } from '../../../shared/errors.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Queryable } from '../../../storage/database.ts'

// A schedule starts an agent, an eval or a distillation. Evals and distillations belong to areas that import this one, so that their parts
// are passed in as `ScheduledWork`.

/** The target as a request names it. */
export type GivenWork = { evalId: string; trials?: number } | { distillation: ScheduledDistillation }

/** The target as it is stored. The Brain of a distillation is kept by its id: its handle can become that of another one. */
export type WorkTarget = { evalId: string; trials?: number } | { distillation: ScheduledDistillation; brainId: string }

export type AgentTarget = { agentId: string; input: RunInput }

/** The schedule that starts something, and the instant for which it does: each instant starts one thing. */
export type ScheduledFor = { scheduleId: string; at: Date }

/** Starts evals and distillations by schedule. */
export type ScheduledWork = {
  /** Refuses a target that a person could not start. */
  check(db: Queryable, acting: { organizationId: string; viewer: Viewer }, given: GivenWork): Promise<WorkTarget>
  /** Starts it, or finds what was started for this instant already. Returns its id. */
  start(due: ScheduledFor & { organizationId: string; actsFor: Actor }, target: WorkTarget): Promise<string>
}

/** The parts of a request that say what a schedule starts. */
type Given = {
  agentId?: string | undefined
  input?: RunInput | undefined
  evalId?: string | undefined
  trials?: number | undefined
  distillation?: ScheduledDistillation | undefined
}

const kinds = ['agentId', 'evalId', 'distillation'] as const
type Kind = (typeof kinds)[number]

const onlyOne = 'A schedule starts one thing: an agent (agentId and input), an eval (evalId) or a distillation.'

const findKind = (given: Given, former: Given): Kind => {
  const named = kinds.filter((kind) => given[kind] !== undefined)
  if (named.length > 1) throw invalidArgument([named[1] ?? 'evalId'], onlyOne)
  const kind = named[0] ?? kinds.find((one) => former[one] !== undefined)
  if (kind === undefined) throw invalidArgument(['agentId'], onlyOne)
  return kind
}

const toEval = (given: Given, former: Given): GivenWork => {
  const { evalId = former.evalId ?? '', trials = former.trials } = given
  return { evalId, ...(trials === undefined ? {} : { trials }) }
}

/** The target that a request gives a schedule; omitted parts are those of the former one. */
export const chooseTarget = (given: Given, former: Given): AgentTarget | GivenWork => {
  const kind = findKind(given, former)
  if (kind !== 'agentId' && given.input !== undefined)
    throw invalidArgument(['input'], 'Only a schedule of an agent has an input. Leave it out.')
  if (kind !== 'evalId' && given.trials !== undefined)
    throw invalidArgument(['trials'], 'Only a schedule of an eval has trials. Leave it out.')
  if (kind === 'evalId') return toEval(given, former)
  const { distillation = former.distillation } = given
  if (kind === 'distillation' && distillation) return { distillation }
  const { agentId = former.agentId ?? '', input = former.input } = given
  if (input === undefined) throw invalidArgument(['input'], 'An agent needs an input: a text, or messages.')
  return { agentId, input }
}
