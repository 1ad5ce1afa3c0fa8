import type { BrainClient } from '@noema/sdk'
import { ForbiddenError } from '@noema/sdk/errors.ts'
import { type Output, writeLine } from '../output.ts'
import type { Planned } from './upload.ts'

type PlanOp = 'add' | 'update' | 'retire' | 'conflict'

/** Describes a plan in one sentence. */
export const planSentence = ({ source, counts, conflicts }: Planned['snapshot']): string => {
  const { add, update, retire, unchanged } = counts
  const parts = [`${add} to add`, `${update} to update`, `${retire} to retire`, `${unchanged} unchanged`]
  if (conflicts > 0) parts.push(`${conflicts} in conflict`)
  return `${source}: ${parts.join(', ')}.`
}

type Shown = { ops: readonly PlanOp[]; limit: number; signal: AbortSignal }

/** Lists the documents of a plan that these operations are about. A key that may not read gets the counts alone. */
export const listPlan = async (
  output: Output,
  brain: BrainClient,
  { source, snapshot, counts, conflicts }: Planned['snapshot'],
  { ops, limit, signal }: Shown,
): Promise<void> => {
  const totals = { ...counts, conflict: conflicts }
  try {
    for (const op of ops.filter((name) => totals[name] > 0)) {
      let shown = 0
      for await (const { id } of brain.snapshots.get(
        source,
        snapshot,
        { op, limit: Math.min(limit, 500) },
        { signal },
      )) {
        if (shown === limit) break
        await writeLine(output, `  ${op} ${id}`)
        shown++
      }
      if (totals[op] > limit) await writeLine(output, `  … and ${totals[op] - limit} more to ${op}`)
    }
  } catch (error) {
    if (!(error instanceof ForbiddenError)) throw error
  }
}
