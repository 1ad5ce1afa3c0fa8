import { isObject } from '@noema/contracts/json.ts'
import type { InputMessage } from '@noema/contracts/messages.ts'
import type { RunInput } from '@noema/contracts/runs.ts'
import type { Schedule } from '@noema/contracts/schedules.ts'
import { FieldProblem } from '../../components/form/problems.ts'

// The values of the form of a schedule, and the request that they make.

export type ScheduleKind = 'agent' | 'eval' | 'distillation'

export type InputForm = 'text' | 'messages'

export type Values = {
  kind: ScheduleKind
  agentId: string
  evalId: string
  /** The Brain that gets lessons and skills. */
  into: string
  /** Only runs of this agent; empty for all. */
  ofAgent: string
  sinceDays: string
  cron: string
  timezone: string
  inputForm: InputForm
  input: string
  enabled: boolean
}

const isMessages = (value: unknown): value is InputMessage[] => Array.isArray(value) && value.every(isObject)

/** The typed input as the API takes it. The contract checks each message. */
const readInput = (text: string, form: InputForm): RunInput => {
  if (form === 'text') return text
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new FieldProblem('input', `This is not JSON: ${reason}.`, { cause })
  }
  if (isMessages(value)) return value
  throw new FieldProblem('input', 'Enter a JSON list, such as [{ "role": "user", "text": "What is new?" }].')
}

export const toInputText = (input: RunInput = ''): string =>
  typeof input === 'string' ? input : JSON.stringify(input, null, 2)

export const toKind = ({ evalId, distillation }: Pick<Schedule, 'evalId' | 'distillation'>): ScheduleKind => {
  if (evalId !== undefined) return 'eval'
  return distillation ? 'distillation' : 'agent'
}

const toDays = (text: string): number | undefined => {
  if (text.trim() === '') return undefined
  const days = Number(text)
  if (Number.isInteger(days) && days >= 1) return days
  throw new FieldProblem('sinceDays', 'Enter a whole number of days, or leave it empty for all runs.')
}

const toDistillation = ({ into, ofAgent, sinceDays: days }: Values, former: Schedule['distillation']) => {
  const { agentId: _agentId, sinceDays: _days, ...from } = former?.from ?? {}
  const sinceDays = toDays(days)
  return {
    produce: ['lesson' as const, 'skill' as const],
    allowWider: false,
    ...former,
    from: {
      ...from,
      ...(ofAgent === '' ? {} : { agentId: ofAgent }),
      ...(sinceDays === undefined ? {} : { sinceDays }),
    },
    into: { brain: into },
  }
}

/** The request that the form makes. Parts that it does not show stay as they were. */
export const toBody = (values: Values, former: Schedule | undefined) => {
  const { kind, agentId, evalId, input, inputForm, cron, timezone, enabled } = values
  const times = { cron, timezone, enabled }
  if (kind === 'eval') return { ...times, evalId }
  if (kind === 'distillation') return { ...times, distillation: toDistillation(values, former?.distillation) }
  return { ...times, agentId, input: readInput(input, inputForm) }
}
