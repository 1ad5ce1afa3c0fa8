import type { SchemaKind } from '@noema/contracts/schema-kinds.ts'
import { validation } from '../../../shared/errors.ts'
import type { JsonObject } from '../../../shared/text/json.ts'
import type { Queryable } from '../../../storage/database.ts'
import { isNotified, type NotifiedField } from '../kinds/kinds.ts'
import { selectFieldsByKind } from '../records/record-queries.ts'
import type { SchemaWrites } from '../schema/write-set.ts'
import { type DateNotification, deleteNotifications, insertPending } from './reminder-queries.ts'
import { maxPerRecord, sizeReminders, toDatedValues } from './reminders.ts'
import { onlyComing } from './write-set.ts'

// The stream announces dates in records before they come. Each future reminder is a row, maintained by the transaction of
// the write; a worker sends the due ones. A sent reminder stays as a row, so that it is sent only once.

const recordsAtOnce = 500
/** Moments with their durations, up to twenty of each. */
const rowsAtOnce = 1_000

/** Most reminders that one new version of a schema may begin to await. */
const maxOfSchema = 250_000

type Declared = DateNotification & { declaration: NotifiedField }

const toNotifications = (kinds: readonly SchemaKind[]): ReadonlyMap<string, Declared> =>
  new Map(
    kinds.flatMap(({ kind, fields }) =>
      fields.filter(isNotified).flatMap((declaration) =>
        declaration.notifyBefore.map((offset) => {
          const { name: field, type } = declaration
          return [JSON.stringify([kind, field, type, offset]), { kind, field, offset, declaration }] as const
        }),
      ),
    ),
  )

/** The fields that some notices are of, each with those durations alone. */
const toNotifiedFields = (notifications: readonly Declared[]): NotifiedField[] =>
  [...Map.groupBy(notifications, ({ declaration }) => declaration)].map(([declaration, ofField]) => ({
    ...declaration,
    notifyBefore: ofField.map(({ offset }) => offset),
  }))

const tooManyDates = () =>
  validation(
    `This schema would have more dates notified of than may be: ${maxPerRecord} of a record, and ${maxOfSchema} at once. Declare fewer durations.`,
    {
      code: 'too_many_reminders',
    },
  )

/** Schedules the future reminders for some fields of all records of a kind. */
const scheduleKind = async (
  tx: Queryable,
  brainId: number,
  kind: string,
  { fields, at }: { fields: readonly NotifiedField[]; at: string },
): Promise<number> => {
  const names = fields.map(({ name }) => name)
  let count = 0
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: { id: string; fields: JsonObject }[] = await selectFieldsByKind(tx, brainId, {
      kind,
      names,
      after,
      limit: recordsAtOnce,
    })
    if (page.some((record) => sizeReminders(fields, record) > maxPerRecord)) throw tooManyDates()
    const rows = onlyComing(
      page.flatMap((record) => [...toDatedValues(fields, record).values()]),
      at,
    )
    count += rows.reduce((sum, { offsets }) => sum + offsets.length, 0)
    if (count > maxOfSchema) throw tooManyDates()
    for (let from = 0; from < rows.length; from += rowsAtOnce)
      await insertPending(brainId, rows.slice(from, from + rowsAtOnce)).execute(tx)
    after = page.length < recordsAtOnce ? undefined : page.at(-1)?.id
  }
  return count
}

/**
 * Applies a new version of the schema, under the Brain's lock: deletes the reminders that it no longer declares, and
 * schedules new ones for existing records.
 */
export const rescheduleDates = async (
  tx: Queryable,
  brainId: number,
  { schema, evolved, at }: Pick<SchemaWrites, 'schema' | 'evolved' | 'at'>,
): Promise<void> => {
  const [before, after] = [toNotifications(schema.kinds), toNotifications(evolved?.kinds ?? schema.kinds)]
  const gone = [...before].flatMap(([name, { declaration, ...notification }]) => (after.has(name) ? [] : notification))
  if (gone.length > 0) await deleteNotifications(tx, brainId, gone)
  const added = [...after].flatMap(([name, notification]) => (before.has(name) ? [] : notification))
  let count = 0
  for (const [kind, notifications] of Map.groupBy(added, (notification) => notification.kind)) {
    count += await scheduleKind(tx, brainId, kind, { fields: toNotifiedFields(notifications), at })
    if (count > maxOfSchema) throw tooManyDates()
  }
}
