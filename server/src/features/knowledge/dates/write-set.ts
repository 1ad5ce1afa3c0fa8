import type { BrainRecord } from '@noema/contracts/records.ts'
import { validation } from '../../../shared/errors.ts'
import type { RowChanges } from '../../kernel/versioning/pending-rows.ts'
import type { CompiledSchema } from '../kinds/kinds.ts'
import { deletePending, insertPending } from './reminder-queries.ts'
import { type DatedValue, findComing, maxPerRecord, sizeReminders, toDatedValues } from './reminders.ts'

type RecordMove = { before: BrainRecord | undefined; after: BrainRecord | undefined }
type DatedValues = ReadonlyMap<string, DatedValue>

const noValues: DatedValues = new Map()

const listDates = (schema: CompiledSchema, record: BrainRecord | undefined): DatedValues => {
  const notified = record && schema.byKind.get(record.kind)?.notified
  return record && notified?.length ? toDatedValues(notified, record) : noValues
}

const without = (offsets: readonly string[], others: readonly string[] = []): readonly string[] =>
  offsets === others ? [] : offsets.filter((offset) => !others.includes(offset))

const inBoth = (offsets: readonly string[], others: readonly string[] = []): readonly string[] =>
  offsets === others ? offsets : offsets.filter((offset) => others.includes(offset))

/** Some values without the durations that others have of them. */
const subtract = (values: DatedValues, others: DatedValues): DatedValue[] =>
  [...values].flatMap(([name, value]) => {
    const offsets = without(value.offsets, others.get(name)?.offsets)
    return offsets.length === 0 ? [] : { ...value, offsets }
  })

const intersect = (values: DatedValues, others: DatedValues): DatedValues =>
  new Map(
    [...values].map(([name, value]) => [name, { ...value, offsets: inBoth(value.offsets, others.get(name)?.offsets) }]),
  )

/** Those reminders that are still to come. */
export const onlyComing = (values: readonly DatedValue[], at: string): DatedValue[] =>
  values.flatMap((value) => {
    const offsets = findComing(value.value, value.offsets, at)
    return offsets.length === 0 ? [] : { ...value, offsets }
  })

/** Reminders of one record that are included in the write. */
const freePerRecord = 20

/** Most reminders that one write may begin to await. */
const maxPerWrite = 20_000

const checkRecord = (schema: CompiledSchema, record: BrainRecord | undefined): void => {
  const notified = record && schema.byKind.get(record.kind)?.notified
  const count = record && notified ? sizeReminders(notified, record) : 0
  if (record && count > maxPerRecord)
    throw validation(
      `The record ${JSON.stringify(record.id)} would be notified of ${count} times; a record may be ${maxPerRecord} times. Keep fewer dates in it, or declare fewer durations of notifyBefore.`,
      { code: 'too_many_reminders' },
    )
}

/** Counts the reminders of some records that are charged in addition to the writes: those beyond the included number of each record. */
export const countReminders = (
  { schema, at }: { schema: CompiledSchema; at: string },
  moves: readonly RecordMove[],
): number => {
  if (!schema.emitsDates) return 0
  let sum = 0
  let cost = 0
  for (const { before, after } of moves) {
    checkRecord(schema, after)
    const begun = onlyComing(subtract(listDates(schema, after), listDates(schema, before)), at)
    const made = begun.reduce((count, { offsets }) => count + offsets.length, 0)
    sum += made
    cost += Math.max(0, made - freePerRecord)
  }
  if (sum > maxPerWrite)
    throw validation(
      `This would have ${sum} dates notified of; one write may begin ${maxPerWrite}. Send fewer records.`,
      {
        code: 'too_many_reminders',
      },
    )
  return cost
}

/** The changes of one record's reminders, by its versions in order: reminders that all versions share stay. */
const followRecord = (versions: readonly DatedValues[], at: string) => {
  const [first = noValues, ...later] = versions
  const kept = later.reduce(intersect, first)
  // A reminder that is past at the time of the write is not sent (DAT-06).
  return { ended: subtract(first, kept), made: onlyComing(subtract(versions.at(-1) ?? noValues, kept), at) }
}

/** Computes the changes of reminders from the changes of records: those that begin, and those that are cancelled. */
export const followDates = (
  { schema, at }: { schema: CompiledSchema; at: string },
  moves: readonly RecordMove[],
): RowChanges<DatedValue> => {
  const byRecord = Map.groupBy(moves, ({ before, after }) => (before ?? after)?.id)
  const followed = [...byRecord.values()].map((steps) =>
    followRecord(
      [steps[0]?.before, ...steps.map(({ after }) => after)].map((one) => listDates(schema, one)),
      at,
    ),
  )
  return {
    statements: { insert: insertPending, end: deletePending },
    made: followed.flatMap(({ made }) => made),
    ended: followed.flatMap(({ ended }) => ended),
  }
}
