import type { Operation } from '@noema/contracts/activity.ts'

// The timeline of a run: rows of steps and their operations, and the position of each bar.

type StepRow = { kind: 'step'; id: string; step: string; count: number }
export type OperationRow = { kind: 'operation'; id: string; operation: Operation; start: number; length: number }
type TimelineRow = StepRow | OperationRow

export type Timeline = { rows: readonly TimelineRow[]; milliseconds: number; failed: number }

const toStep = ({ runTurnId = '' }: Operation): string => runTurnId.slice(runTurnId.lastIndexOf(':') + 1) || '0'

/** The rows of all operations, or of the failed ones. Bars are shares of the whole time, from 0 to 1. */
export const toTimeline = (
  operations: readonly Operation[],
  { isFailedOnly, now }: { isFailedOnly: boolean; now: number },
): Timeline => {
  const starts = operations.map(({ createdAt }) => Date.parse(createdAt))
  const ends = operations.map(({ completedAt }) => (completedAt === undefined ? now : Date.parse(completedAt)))
  const first = starts[0] ?? now
  const last = ends.reduce((latest, end) => Math.max(latest, end), first + 1)
  const whole = last - first
  const steps = new Map<string, OperationRow[]>()
  operations.forEach((operation, index) => {
    if (isFailedOnly && operation.status !== 'failed') return
    const [from, to] = [starts[index] ?? first, ends[index] ?? last]
    const row = {
      kind: 'operation',
      id: operation.id,
      operation,
      start: (from - first) / whole,
      length: Math.max(0, to - from) / whole,
    } as const
    const step = toStep(operation)
    const found = steps.get(step)
    if (found) found.push(row)
    else steps.set(step, [row])
  })
  const rows = [...steps].flatMap(([step, found]): TimelineRow[] => [
    { kind: 'step', id: `step ${step}`, step, count: found.length },
    ...found,
  ])
  return { rows, milliseconds: whole, failed: operations.filter(({ status }) => status === 'failed').length }
}
