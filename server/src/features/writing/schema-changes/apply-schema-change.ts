import type { NewEvent } from '@noema/contracts/events.ts'
import type { SchemaOperation } from '@noema/contracts/schema.ts'
import { conflict } from '../../../shared/errors.ts'
import { isSameKinds } from '../../knowledge/kinds/kinds.ts'
import { evolveKinds } from '../../knowledge/schema/evolve.ts'
import type { ChangeItem, StoredChange } from '../commit/change-store.ts'
import type { CommitBatch } from '../commit/commit-batch.ts'
import { storeSchemaChange } from './store-schema-change.ts'

// Changes of the schema. They are staged, decided, scheduled and rebased as changes of content are; here is what differs
// when one is applied: it makes the next schemaVersion, and takes a stateVersion like any change, so that one clock
// tells what was read and written under which schema.

const listOperations = (items: readonly ChangeItem[]): SchemaOperation[] => items.flatMap(({ evolve }) => evolve ?? [])

/** By item: how many records stand in the way of a field that it makes unique. */
export type Duplicates = ReadonlyMap<string, number>

/** Refuses fields that would be unique while records share a value: no write could make that good again. */
const checkDuplicates = (duplicates: Duplicates, items: readonly ChangeItem[]): void => {
  for (const { item, target } of items) {
    const count = duplicates.get(item) ?? 0
    if (count > 0)
      throw conflict(
        `${target.id} cannot be unique: ${count} records have a value that another record has. Change those, then publish again.`,
        { code: 'duplicates' },
      )
  }
}

/** Makes the next schema, and what follows from it. Throws what stands in its way. */
export const applySchemaChange = (
  batch: CommitBatch,
  { id, items }: StoredChange,
  duplicates: Duplicates,
): { items: ChangeItem[]; events: NewEvent[] } => {
  const { schema } = batch.content
  const { kinds } = evolveKinds(schema.schema.kinds, listOperations(items))
  checkDuplicates(duplicates, items)
  if (isSameKinds(kinds, schema.schema.kinds)) return { items, events: [] }
  const data = schema.evolve(kinds, id)
  batch.beforeCommit((tx) => storeSchemaChange(tx, batch.brain.brainId, schema))
  return {
    items: items.map((item) => ({ ...item, made: data.schemaVersion })),
    events: [{ type: 'schema.evolved', data }],
  }
}

/** The items of a schema change on top of the schema as it is now. Throws where one does not fit it. */
export const rebaseSchemaChange = (
  { content: { schema } }: CommitBatch,
  items: readonly ChangeItem[],
): ChangeItem[] => {
  const { steps } = evolveKinds(schema.schema.kinds, listOperations(items))
  return items.map((item, index) => {
    const step = steps[index]
    return step ? { ...item, base: schema.version, tag: step.tag } : item
  })
}
