import type { ChangeSummary, changeDetail } from '@noema/contracts/changes.ts'
import { maxPageBytes } from '@noema/contracts/common.ts'
import type { z } from 'zod'
import { summarizeActor } from '../../../shared/actor.ts'
import { ApiError } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import type { Applying, Content } from '../../kernel/versioning/types.ts'
import type { VersionWrites } from '../../kernel/versioning/version-writes.ts'
import {
  type ContentWrites,
  contentKinds,
  createContentWrites,
  kindByOperation,
  kindOfType,
} from '../../knowledge/content/content.ts'
import { contentText } from '../../knowledge/content-text/content-text.ts'
import { emptySchema } from '../../knowledge/kinds/kinds.ts'
import { recordTable } from '../../knowledge/records/record-queries.ts'
import type { SchemaCache } from '../../knowledge/schema/schema-cache.ts'
import { readRequiredEvals, toShown } from '../change-evals/change-evals.ts'
import { listComments } from '../comments/comments.ts'
import { toProvenance } from '../commit/apply-or-stage.ts'
import type { ChangeItem, ListedChange, StoredChange } from '../commit/change-store.ts'
import { applyOperations } from '../commit/write-set.ts'
import { viewSchemaChange } from '../schema-changes/view-schema-change.ts'
import { type FindCurrent, isOutdated, listConflicts } from './conflicts.ts'
import { addNear, examineItems, type Findings, type FindNear, noFindings, type WrittenText } from './findings.ts'
import { type ItemVersions, readFirstItemVersions } from './item-versions.ts'

type ChangeDetail = z.infer<typeof changeDetail>
type Item = ChangeDetail['items'][number]
type Thing = NonNullable<Item['before']>

type Deps = { db: Db; schemas: SchemaCache; findNear: FindNear }

/** The limit of versions read to show a change, besides its own operations. */
const maxOpenedBytes = maxPageBytes / 2

const optional = <Name extends string>(name: Name, value: string | null): { [N in Name]?: string } =>
  (value === null ? {} : { [name]: value }) as { [N in Name]?: string }

/** A change as the queue lists it. */
export const summarize = (change: StoredChange | ListedChange): ChangeSummary => {
  const { stagedBy, decidedBy } = change
  const related = { ...optional('supersedes', change.supersedes), ...optional('corrects', change.corrects) }
  const outcome = {
    ...optional('decidedAt', change.decidedAt),
    ...optional('decisionReason', change.decisionReason),
    ...optional('publishAt', change.publishAt),
    ...optional('blockedBy', change.blockedBy),
  }
  const stagedByActor = summarizeActor(stagedBy)
  const decided = decidedBy && { decidedBy: decidedBy.id, decidedByActor: summarizeActor(decidedBy) }
  return {
    id: change.id,
    decision: change.decision,
    application: change.application,
    stagedBy: stagedBy.id,
    stagedByActor,
    createdAt: change.createdAt,
    reason: change.reason,
    baseStateVersion: change.baseState,
    stateVersion: change.stateVersion,
    ...related,
    ...decided,
    ...outcome,
    itemCount: 'itemCount' in change ? change.itemCount : change.items.length,
  }
}

/** A version of an item's target as the change shows it. */
const showVersion = (versions: ItemVersions, item: ChangeItem, number: number | null): Thing | null => {
  const version = versions.find(item, number)
  if (!version || item.target.type === 'schema') return null
  return kindOfType[item.target.type].detail(version) as Thing
}

/** True if a version that an item found or made was not read: all together were too long. */
const isMissing = (versions: ItemVersions, item: ChangeItem): boolean =>
  item.target.type !== 'schema' &&
  [item.base, item.made].some((number) => number !== null && versions.find(item, number) === undefined)

/** The result of an item on its base; null if it ends that, or could not be applied even to it. */
const tryItem = (writes: ContentWrites, { operation }: ChangeItem, applying: Applying): Thing | null => {
  if (!operation || kindByOperation.get(operation.op)?.operations[operation.op] === 'ends') return null
  try {
    const operations = [{ ...operation, ifMatch: undefined } as typeof operation]
    const view = applyOperations(writes, { operations, isBatch: false }, applying).applied[0]?.view as Thing
    return operation.op === 'document.put' ? { ...view, text: operation.text } : view
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}

/** The records that statements of a change are about, as far as they can be read at once. */
const readSubjects = async (db: Db, brainId: number, items: readonly ChangeItem[]) => {
  const subjects = items.flatMap(({ operation }) =>
    operation?.op === 'statement.assert' ? [operation.subject.id] : [],
  )
  const live = await recordTable.selectLiveNumbers(db, brainId, [...new Set(subjects)])
  const requested = [...live].map(([id, number]) => ({ id, number }))
  return recordTable.selectFirstNumbered(db, brainId, requested, maxOpenedBytes)
}

const noLimits = { maxFields: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY }

/** The results of the items on their bases. */
const tryItems = async (
  db: Db,
  brainId: number,
  change: StoredChange,
  versions: ItemVersions,
): Promise<(Thing | null)[]> => {
  // A preview is shown even if the schema or the limits refuse the write by now.
  const writes = createContentWrites(emptySchema, change.createdAt, noLimits)
  for (const subject of await readSubjects(db, brainId, change.items)) writes.record.add(subject, null)
  for (const { type, version } of versions.all()) {
    const known: VersionWrites = writes[type]
    known.add(version, kindOfType[type].liveKey(version))
  }
  const applying: Applying = {
    change: change.id,
    provenance: toProvenance(change.id, change.stagedBy),
    at: change.createdAt,
    stateVersion: change.baseState + 1,
    twins: new Map(),
    patched: { bytes: 0 },
  }
  return change.items.map((item) => (isMissing(versions, item) ? null : tryItem(writes, item, applying)))
}

/** The current state of the items' targets; the contents of those that moved, as far as they can be read at once. */
const readCurrents = async (db: Db, brain: BrainRow, items: readonly ChangeItem[]): Promise<FindCurrent> => {
  const found = new Map<string, { version: number; content?: Content }>()
  const toName = ({ type, id }: ChangeItem['target']) => `${type} ${id}`
  for (const { type, table } of contentKinds) {
    const own = items.filter(({ target }) => target.type === type)
    const ids = [...new Set(own.map(({ target }) => target.id))]
    const live = await table.selectLiveNumbers(db, brain.brainId, ids)
    const moved = own.flatMap(({ target: { id }, base }) => {
      const number = live.get(id)
      return number === undefined || base === null || number === base ? [] : [{ id, number }]
    })
    for (const [id, version] of live) found.set(toName({ type, id }), { version })
    for (const { id, version, content } of await table.selectFirstNumbered(db, brain.brainId, moved, maxOpenedBytes))
      found.set(toName({ type, id }), { version, content })
  }
  return ({ target }) =>
    target.type === 'schema' ? { version: brain.schemaVersion } : (found.get(toName(target)) ?? { version: null })
}

/** Items as JSON text. Items that do not fit after the ones before them are counted, and not shown. */
const showItems = (items: readonly Item[]): string => {
  let left = maxPageBytes
  const texts = items.map((item) => {
    const text = JSON.stringify(item)
    const length = Buffer.byteLength(text)
    if (length > left) return JSON.stringify({ ...item, before: null, after: null, cut: true })
    left -= length
    return text
  })
  return `[${texts.join(',')}]`
}

/** The warnings about the items of a change, from what they propose, or from the versions that they made. */
const examine = async (
  { db, schemas }: Deps,
  { brainId, schemaVersion }: BrainRow,
  { items, application }: StoredChange,
  versions: ItemVersions,
): Promise<Findings[]> => {
  const isApplied = application === 'applied'
  const written = new Set(items.map(({ target }) => target.id))
  const change = { brainId, isApplied, written, schema: await schemas(db, brainId, schemaVersion) }
  const examined = items.map((item) => ({
    ...{ change, item },
    content: item.operation ?? (isApplied ? showVersion(versions, item, item.made) : null),
  }))
  const found = await examineItems(db, examined)
  return found.map((findings, index) => {
    const item = items[index]
    const isCut = item && !item.operation && isApplied && isMissing(versions, item)
    return isCut ? { flags: ['unchecked'], findings: [] } : findings
  })
}

/** The text of an item after the change; none of an item that ends, or that is not about a record or a document. */
const toWrittenText = ({ target: { type, id } }: ChangeItem, after: Thing | null): WrittenText[] => {
  if (!after || (type !== 'record' && type !== 'document')) return []
  const { toFound, searchText } = contentText[type]
  const text = 'text' in after && typeof after.text === 'string' ? after.text : ''
  return [{ type, id, text: searchText(toFound(after, text)) }]
}

/** Adds the items that say nearly the same. */
const examineNear = async (
  { findNear }: Deps,
  brain: BrainRow,
  items: readonly { item: ChangeItem; after: Thing | null; found: Findings }[],
): Promise<Findings[]> => {
  const texts = items.map(({ item, after }) => toWrittenText(item, after))
  const near = await findNear(brain, texts.flat())
  let next = 0
  return items.map(({ found }, index) => (texts[index]?.length ? addNear(found, near[next++]) : found))
}

/** A change with what it would do, or did, as JSON text. */
export const toDetail = async (deps: Deps, brain: BrainRow, change: StoredChange): Promise<string> => {
  const { db } = deps
  const { brainId } = brain
  const { items } = change
  const versions = await readFirstItemVersions(db, brainId, items, maxOpenedBytes)
  const isOpen = change.application !== 'applied'
  const afters = isOpen ? await tryItems(db, brainId, change, versions) : []
  const findCurrent = isOpen ? await readCurrents(db, brain, items) : () => ({ version: null })
  const schemaItems = await viewSchemaChange(db, brainId, change)
  const found = await examine(deps, brain, change, versions)
  const after = items.map((item, index) => (isOpen ? (afters[index] ?? null) : showVersion(versions, item, item.made)))
  const examined = await examineNear(
    deps,
    brain,
    items.map((item, index) => ({ item, after: after[index] ?? null, found: found[index] ?? noFindings })),
  )
  const shown = items.map((item, index) => ({
    item: item.item,
    op: item.op,
    target: item.target,
    before: showVersion(versions, item, item.base),
    after: after[index] ?? null,
    flags: examined[index]?.flags ?? [],
    ...(examined[index]?.findings.length ? { findings: examined[index].findings } : {}),
    ...(isMissing(versions, item) ? { cut: true as const } : {}),
    ...schemaItems.get(item.item),
  }))
  const head: Omit<ChangeDetail, 'items'> = {
    ...summarize(change),
    ...toShown((await readRequiredEvals(db, brain, [change])).get(change.id)),
    outdated: isOpen && items.some((item) => isOutdated(findCurrent, item)),
    conflicts: isOpen ? listConflicts(findCurrent, items, versions) : [],
    comments: await listComments(db, brainId, change.id),
  }
  return `${JSON.stringify(head).slice(0, -1)},"items":${showItems(shown)}}`
}
