import type { changeItem } from '@noema/contracts/changes.ts'
import type { z } from 'zod'
import type { Db } from '../../../storage/database.ts'
import type { StoredChange } from '../commit/change-store.ts'
import { isSchemaChange } from '../commit/commit-batch.ts'
import { countViolations, noViolations, type ViolationCount } from './count-violations.ts'
import { readSteps } from './read-steps.ts'

type Item = z.infer<typeof changeItem>

/** The effects of a schema change, planned or done, by item. */
export const viewSchemaChange = async (
  db: Db,
  brainId: number,
  change: StoredChange,
): Promise<Map<string, Partial<Item>>> => {
  if (!isSchemaChange(change)) return new Map()
  const steps = await readSteps(db, brainId, change)
  const isOpen = change.application !== 'applied' && change.decision !== 'superseded'
  const counts = isOpen ? await countViolations(db, brainId, steps) : new Map<string, ViolationCount>()
  return new Map(
    change.items.map(({ item, tag = 'weakening', violations = 0, violationsAtLeast = false }) => {
      const step = steps.find((one) => one.item === item)
      const count = isOpen ? (counts.get(item) ?? noViolations) : { violations, violationsAtLeast }
      const { before, after } = step ?? { before: null, after: null }
      return [item, { before: before as Item['before'], after: after as Item['after'], tag, ...count }]
    }),
  )
}
