import type { NewEvent } from '@noema/contracts/events.ts'
import type { Clock } from '../../../shared/clock.ts'
import { ApiError, conflict, notFound, unavailable } from '../../../shared/errors.ts'
import type { Db, ReadSource, RunPrepared, Tx } from '../../../storage/database.ts'
import { overlaySource } from '../../../storage/overlaid.ts'
import { runStatement } from '../../../storage/statements.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { noSuchBrain } from '../../kernel/brains/brains.ts'
import { isTooMuchContent, type LoadBudget } from '../../kernel/versioning/load-budget.ts'
import { createContentWrites } from '../../knowledge/content/content.ts'
import { toOverlay } from '../../knowledge/overlay/overlay.ts'
import type { RecordLimits } from '../../knowledge/records/apply.ts'
import type { SchemaCache } from '../../knowledge/schema/schema-cache.ts'
import { type StoredChange, selectChanges } from '../commit/change-store.ts'
import { CommitBatch, isSchemaChange } from '../commit/commit-batch.ts'
import { readBrain } from '../commit/commit-queries.ts'
import { loadContent } from '../commit/write-set.ts'
import { findCurrentIn, listConflicts } from '../review/conflicts.ts'
import { listPatched } from '../review/decision-request.ts'
import { applyContent, movedBase, withoutConditions } from '../review/decisions.ts'
import { readItemVersions } from '../review/item-versions.ts'
import { selectSince } from './queries.ts'

// A preview is a Brain as it would be if a pending change were published now. The change is applied in memory, as the commit engine
// applies it, and reads see the result as rows of their tables. Nothing is written, and nothing is kept after the read.

export type PreviewDeps = { db: Db; clock: Clock; schemas: SchemaCache; recordLimits: RecordLimits }

/** The most items of a change that is previewed, and the most bytes of it and of the content that it is about. */
const maxPreviewItems = 1_000
const maxPreviewBytes = 6 * 1024 * 1024

/** A Brain with a pending change. */
export type Preview = {
  brain: BrainRow
  change: string
  /** The state that publishing the change would make. */
  stateVersion: number
  /** The events that it would emit. */
  events: readonly NewEvent[]
  /** The items that it makes, changes or ends, as `type id`, and those that it is about but leaves as they are. */
  written: ReadonlySet<string>
  touched: ReadonlySet<string>
  /** Why publishing would block the change. */
  blockedBy: string | undefined
  /** A source as it would be. It reads rows of this Brain alone. */
  overlay(source: ReadSource): ReadSource
}

const notPreviewable = (why: string) => conflict(`This change cannot be previewed: ${why}`, { code: 'not_previewable' })

const tooLarge = () =>
  notPreviewable(
    `a preview reads at most ${maxPreviewItems.toLocaleString('en')} items and 6 MiB of content. Decide it in parts.`,
  )

const checkChange = (id: string, found: StoredChange | undefined): StoredChange => {
  if (!found) throw notFound(`There is no change ${JSON.stringify(id)} in this Brain.`)
  if (found.decision !== 'pending')
    throw conflict(`This change is ${found.decision} already; only a pending change can be previewed.`, {
      code: 'already_decided',
    })
  if (isSchemaChange(found))
    throw notPreviewable('it changes the schema. Its items say how many records would not comply.')
  if (found.items.length > maxPreviewItems) throw tooLarge()
  if (found.items.some(({ operation }) => !operation))
    throw notPreviewable('its operations are not stored. Import or stage it again.')
  return found
}

/** Applies a change in memory. Throws where publishing would be refused. */
const applyInMemory = (batch: CommitBatch, change: StoredChange): readonly NewEvent[] => {
  try {
    return applyContent(batch, change).events
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw notPreviewable(`publishing it now would be blocked. ${error.message}`)
  }
}

type Applied = Pick<Preview, 'brain' | 'stateVersion' | 'events' | 'written' | 'touched' | 'blockedBy' | 'overlay'>

const readAndApply = async (tx: Tx, deps: PreviewDeps, brain: BrainRow, id: string): Promise<Applied> => {
  const { clock, schemas, recordLimits } = deps
  const { brainId } = brain
  const now = clock.now()
  const prepared: RunPrepared = (statement) => runStatement(tx, statement)
  const head = await readBrain({ db: tx, prepared }, brainId, { now, isCapped: false, isDivided: false })
  if (!head) throw noSuchBrain(brain.handle)
  const budget: LoadBudget = { left: maxPreviewBytes }
  const [found] = await selectChanges(tx, brainId, [id], budget)
  const change = checkChange(id, found)
  const content = createContentWrites(await schemas(tx, brainId, head.schemaVersion), now.toISOString(), recordLimits)
  const operations = change.items.flatMap(({ operation }) => (operation ? [withoutConditions(operation)] : []))
  await loadContent(tx, content, operations, { brainId, leavesKeysToIndexes: false, budget })
  const bases = await readItemVersions(tx, brainId, listPatched(change.items), { budget })
  const conflicts = listConflicts(findCurrentIn(content), change.items, bases)
  const batch = new CommitBatch(head, now, content, [change])
  const events = applyInMemory(batch, change)
  const stateVersion = head.stateVersion + 1
  const overlay = toOverlay(content, brainId, stateVersion)
  const histories = (['record', 'statement', 'document'] as const).flatMap((type) =>
    [...content[type].histories()].map(({ stored, made: [made] }) => `${type} ${(stored ?? made)?.id}`),
  )
  return {
    ...{ brain: head, stateVersion, events },
    written: new Set(histories),
    touched: new Set([...histories, ...change.items.map(({ target }) => `${target.type} ${target.id}`)]),
    blockedBy:
      conflicts.length > 0 ? movedBase(conflicts) : head.availability === 'held' ? 'The Brain is on hold.' : undefined,
    overlay: (source) => overlaySource(source, overlay),
  }
}

/** Opens a Brain with a pending change, on its current state. */
const openPreview = async (deps: PreviewDeps, brain: BrainRow, id: string): Promise<Preview> => {
  try {
    const transaction = deps.db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
    return { change: id, ...(await transaction.execute((tx) => readAndApply(tx, deps, brain, id))) }
  } catch (error) {
    throw isTooMuchContent(error) ? tooLarge() : error
  }
}

/** True if nothing since the preview was opened touches its items or decides its change. */
const isCurrent = async ({ db }: PreviewDeps, { brain, change, touched }: Preview): Promise<boolean> => {
  const since = await selectSince(db, brain.brainId, brain.position)
  if (since.left) return false
  return since.subjects.every((subject) => !touched.has(subject) && subject !== `change ${change}`)
}

const maxAttempts = 3

/**
 * Reads a Brain as if a pending change were published. The whole answer is of one state of what the change touches: a read during
 * which that moves, or the change is decided, is repeated.
 */
export const withPreview = async <Found>(
  deps: PreviewDeps,
  { brain, change }: { brain: BrainRow; change: string },
  read: (preview: Preview) => Promise<Found>,
): Promise<Found> => {
  for (let left = maxAttempts; left > 0; left--) {
    const preview = await openPreview(deps, brain, change)
    const found = await read(preview)
    if (await isCurrent(deps, preview)) return found
  }
  throw unavailable('The items of this change are being written to faster than they can be previewed. Try again.')
}

/** The description of a preview in its answers. */
export const describePreview = ({ change, blockedBy }: Preview) => ({
  change,
  ...(blockedBy === undefined ? {} : { blockedBy }),
})
