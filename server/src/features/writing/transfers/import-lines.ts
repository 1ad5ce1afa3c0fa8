import type { Caps } from '../../../config/tiers.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, notFound } from '../../../shared/errors.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { isDuplicate } from '../../../storage/database-errors.ts'
import { runStatement, toBound } from '../../../storage/statements.ts'
import { type BrainRow, restoreBrain } from '../../kernel/brains/brain-queries.ts'
import { heldBrain, toAct } from '../../kernel/brains/brains.ts'
import type { LockWait } from '../../kernel/locks/lock-queries.ts'
import type { BrainLocks } from '../../kernel/locks/locks.ts'
import { insertEvents } from '../../kernel/stream/event-queries.ts'
import { positionEvents } from '../../kernel/stream/stream.ts'
import { checkUsage, confirmUsage } from '../../kernel/usage/usage.ts'
import { selectShared } from '../../knowledge/field-indexes/field-index-queries.ts'
import { emptySchema } from '../../knowledge/kinds/kinds.ts'
import { insertAllLinks } from '../../knowledge/records/link-rows-queries.ts'
import { loadSchema } from '../../knowledge/schema/schema-cache.ts'
import { deleteSchema, selectNewestVersion } from '../../knowledge/schema/schema-queries.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import { requestForPending } from '../change-evals/change-eval-queries.ts'
import { hasChanges, type LockedBrain, lockBrain } from '../commit/commit-queries.ts'
import { toRouted } from '../commit/divided-commit-queries.ts'
import { storeSchemaChange } from '../schema-changes/store-schema-change.ts'
import { beginGroup, endGroup, prepareImport, undoGroup } from './queries.ts'
import { badLine, type ContentLine, type Header, readExport } from './read-export.ts'
import type { Counts, Line } from './types.ts'

// An import is one transaction: groups of rows go in as their lines arrive, and everything shows at once, or nothing does.
// Its events tell of what is current. Those of the Brain that was exported stay behind, as their cursors are bound to it.

type Deps = { db: Db; clock: Clock; brainLocks: BrainLocks; isDivided: boolean }
export type Imported = { brain: BrainRow; imported: Counts }

/** Most lines, and most bytes of them, that are inserted at once: what bounds the memory of an import. */
const groupLimit = { lines: 1_000, bytes: 4 * 1024 * 1024 }

/** `isDivided`: the tables are on several servers, and each insert is one that the Brain's runs whole. */
type Into = { tx: Tx; brainId: number; isDivided: boolean }

const insertLines = async ({ tx, brainId, isDivided }: Into, group: readonly ContentLine[]): Promise<void> => {
  const [first] = group
  const rows = group.map(({ row }) => row)
  for (const insert of [first?.codec.insert(brainId, rows) ?? []].flat())
    await runStatement(tx, isDivided ? toRouted(toBound(insert)) : insert)
}

/** Inserts a group. If two lines are the same thing, the group goes again line by line, to find which. */
const insertGroup = async (into: Into, group: readonly ContentLine[]): Promise<void> => {
  const { tx } = into
  await beginGroup(tx)
  try {
    await insertLines(into, group)
  } catch (error) {
    if (!isDuplicate(error)) throw error
    await undoGroup(tx)
    for (const line of group)
      await insertLines(into, [line]).catch((reason: unknown) => {
        throw isDuplicate(reason)
          ? badLine(line.number, `this ${line.codec.name}, or its slug, was there before.`)
          : reason
      })
  }
  await endGroup(tx)
}

/** A group that fills slowly goes in after this time: so the transaction stays alive, and one that died is found dead. */
const maxGroupMilliseconds = 10_000

/** Gathers lines into groups and inserts them with their events. `position` is the Brain's after what was inserted. */
const createLoader = ({ tx, isDivided }: Omit<Into, 'brainId'>, brain: LockedBrain, now: Date) => {
  let group: ContentLine[] = []
  let bytes = 0
  let flushedAt = performance.now()
  const loaded = { position: brain.position }
  const flush = async () => {
    const full = group
    group = []
    bytes = 0
    flushedAt = performance.now()
    if (full.length === 0) return
    await insertGroup({ tx, isDivided, brainId: brain.brainId }, full)
    const news = full.flatMap(({ event }) => event ?? [])
    const events = positionEvents(brain, loaded.position, now.toISOString(), news)
    if (events.length > 0) await runStatement(tx, insertEvents(brain.brainId, events))
    loaded.position += events.length
  }
  return {
    loaded,
    flush,
    add: async (line: ContentLine) => {
      const isFull = group.length >= groupLimit.lines || bytes + line.size > groupLimit.bytes
      const isLate = performance.now() - flushedAt > maxGroupMilliseconds
      if (isFull || isLate || group[0]?.codec !== line.codec) await flush()
      group.push(line)
      bytes += line.size
    },
  }
}

const lockEmptyBrain = async (
  tx: Tx,
  brainId: number,
  locking: { now: Date; wait: LockWait; isCapped: boolean; isDivided: boolean },
): Promise<LockedBrain> => {
  const brain = await lockBrain(tx, brainId, locking)
  if (!brain) throw notFound('This Brain does not exist: it was deleted.')
  if (brain.availability === 'held') throw heldBrain()
  if (brain.stateVersion > 0 || (await hasChanges(tx, brainId)))
    throw conflict('This Brain already has content. Import into a new Brain.', {
      code: 'brain_not_empty',
    })
  return brain
}

/** Makes what follows from the schema that came: the index of its fields, and the dates to await. */
const followSchema = async (tx: Tx, brainId: number, version: number, now: Date): Promise<void> => {
  const newest = await selectNewestVersion(tx, brainId)
  if (newest !== version)
    throw badLine(1, `the header says schemaVersion ${version}, and the newest schema in the file is ${newest}.`)
  const { kinds, uniqueFields } = await loadSchema(tx, brainId, version)
  const at = now.toISOString()
  await storeSchemaChange(tx, brainId, { schema: emptySchema, evolved: { version, kinds, change: '', at }, at })
  const unique = [...uniqueFields.values()].flat().map(({ kind, field }) => ({ kind, field: field.name }))
  const shared = unique.length === 0 ? undefined : await selectShared(tx, brainId, unique)
  if (shared)
    throw badLine(1, `two records have one value of ${shared.kind}.${shared.field}, which its schema has unique.`)
}

export type ImportTarget = { brainId: number; caps: Caps; by: Actor }
type Checked = { check: () => Promise<void> }

const loadLines = async (
  { tx, isDivided }: Omit<Into, 'brainId'>,
  { brain, caps, now, check }: { brain: LockedBrain; caps: Caps; now: Date } & Checked,
  lines: AsyncIterable<Line>,
): Promise<Imported> => {
  const { brainId } = brain
  await deleteSchema(tx, brainId)
  const loader = createLoader({ tx, isDivided }, brain, now)
  let header: Header | undefined
  const more = { writes: 0, bytes: 0 }
  const imported = await readExport(lines, {
    onHeader: (given) => {
      header = given
    },
    onContent: async (line) => {
      await check()
      more.writes++
      more.bytes += line.size
      checkUsage(caps, { used: brain.used, more, now })
      await loader.add(line)
    },
  })
  await loader.flush()
  await insertAllLinks(tx, brainId)
  const { stateVersion = 0, schemaVersion = 0, brain: settings } = header ?? {}
  await followSchema(tx, brainId, schemaVersion, now)
  const place = { brainId, position: loader.loaded.position, stateVersion, schemaVersion }
  checkUsage(caps, { used: await confirmUsage(tx, brain, { caps, now }), more, now })
  const today = { writesToday: brain.writesToday + more.writes, bytesToday: brain.bytesToday + more.bytes }
  // The eval that the Brain requires stays, and is requested for the changes that wait in the file.
  const { requireEval } = brain.reviewRules
  const { requireEval: _, ...rules } = settings?.reviewRules ?? {}
  const reviewRules = { ...rules, ...(requireEval === undefined ? {} : { requireEval }) }
  if (requireEval !== undefined) await requestForPending(tx, { brainId, evalId: requireEval, now })
  const restored = { ...brain, ...settings, reviewRules, ...place, ...today }
  return { brain: (await restoreBrain(tx, restored, now)) ?? brain, imported }
}

/** Loads an export into an empty Brain, all or nothing. */
export const importLines = (
  { db, clock, brainLocks, isDivided }: Deps,
  { brainId, caps, by, check }: ImportTarget & Checked,
  lines: AsyncIterable<Line>,
): Promise<Imported> =>
  brainLocks.run(brainId, (wait) =>
    db.transaction().execute(async (tx) => {
      const now = clock.now()
      await prepareImport(tx)
      const brain = await lockEmptyBrain(tx, brainId, { now, wait, isDivided, isCapped: caps !== undefined })
      const loaded = await loadLines({ tx, isDivided }, { brain, caps, now, check }, lines)
      await addAudit(tx, { ...toAct(loaded.brain, by, 'brain.imported'), after: loaded.imported }, now)
      return loaded
    }),
  )
