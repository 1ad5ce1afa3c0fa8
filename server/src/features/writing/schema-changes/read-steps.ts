import type { SchemaOperation } from '@noema/contracts/schema.ts'
import { ApiError } from '../../../shared/errors.ts'
import type { Queryable } from '../../../storage/database.ts'
import { type EvolutionStep, evolveKinds } from '../../knowledge/schema/evolve.ts'
import { loadSchema } from '../../knowledge/schema/schema-cache.ts'
import type { StoredChange } from '../commit/change-store.ts'

/** One item of a schema change with what it does to the schema. */
export type ItemStep = EvolutionStep & { item: string; operation: SchemaOperation }

/** The steps from the base schema of a change's items to its new one; none if they do not fit the base. */
export const readSteps = async (
  db: Queryable,
  brainId: number,
  { items }: Pick<StoredChange, 'items'>,
): Promise<ItemStep[]> => {
  const { kinds } = await loadSchema(db, brainId, items[0]?.base ?? 0)
  const evolving = items.flatMap(({ item, evolve }) => (evolve ? [{ item, operation: evolve }] : []))
  try {
    const operations = evolving.map(({ operation }) => operation)
    return evolveKinds(kinds, operations).steps.flatMap((step, index) => {
      const one = evolving[index]
      return one ? [{ ...step, ...one }] : []
    })
  } catch (error) {
    // A part of a change that was split may need its other part; it then has neither before nor after.
    if (error instanceof ApiError) return []
    throw error
  }
}
