import type { ChangeSummary, changeDetail } from '@noema/contracts/changes.ts'
import type { z } from 'zod'
import { summarizeActor } from '../../../shared/actor.ts'
import { ApiError } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import type { BrainRow } from '../../brain/brains/brains.ts'
import { type ContentWrites, createContentWrites, kindByOperation, kindOfType } from '../../brain/content/content.ts'
import { selectServedHashes, sha256 } from '../../brain/documents/documents.ts'
import { emptySchema } from '../../brain/kinds/kinds.ts'
import { recordTable } from '../../brain/records/records.ts'
import { loadSchema } from '../../brain/schema/schema.ts'
import type { Applying } from '../../brain/versioning/types.ts'
import type { VersionWrites } from '../../brain/versioning/versioning.ts'
import { toProvenance } from '../../brain/versioning/versioning.ts'
import {
  applyOperations,
  type ChangeItem,
  type ListedChange,
  loadContent,
  type StoredChange,
} from '../commit/commit.ts'
import { viewSchemaChange } from '../schema-changes/schema-changes.ts'
import { isOutdated, listConflicts } from './conflicts.ts'
import { findFlags } from './flags.ts'
import { type ItemVersions, readItemVersions } from './item-versions.ts'

type ChangeDetail = z.infer<typeof changeDetail>
type Item = ChangeDetail['items'][number]
type Thing = NonNullable<Item['before']>

const told = <Name extends string>(name: Name, value: string | null): { [N in Name]?: string } =>
  (value === null ? {} : { [name]: value }) as { [N in Name]?: string }

/** A change as the queue lists it. */
export const summarize = (change: StoredChange | ListedChange): ChangeSummary => ({
  id: change.id,
  decision: change.decision,
  application: change.application,
  stagedBy: change.stagedBy.id,
  stagedByActor: summarizeActor(change.stagedBy),
  createdAt: change.createdAt,
  reason: change.reason,
  baseStateVersion: change.baseState,
  stateVersion: change.stateVersion,
  ...told('supersedes', change.supersedes),
  ...told('corrects', change.corrects),
  ...(change.decidedBy ? { decidedBy: change.decidedBy.id, decidedByActor: summarizeActor(change.decidedBy) } : {}),
  ...told('decidedAt', change.decidedAt),
  ...told('decisionReason', change.decisionReason),
  ...told('publishAt', change.publishAt),
  ...told('blockedBy', change.blockedBy),
  itemCount: 'items' in change ? change.items.length : change.itemCount,
})

/** A version of an item's target as the change shows it. */
const showVersion = (versions: ItemVersions, item: ChangeItem, number: number | null): Thing | null => {
  const version = versions.find(item, number)
  if (!version || item.target.type === 'schema') return null
  return kindOfType[item.target.type].detail(version) as Thing
}

/** What an item would make of what it was proposed on; null where it ends that, or could not be applied even to it. */
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

/** What the items would make of what they were proposed on. */
const tryItems = async (
  db: Db,
  brainId: number,
  change: StoredChange,
  versions: ItemVersions,
): Promise<(Thing | null)[]> => {
  // What a write would look like is shown whatever the schema says of it by now.
  const writes = createContentWrites(emptySchema, change.createdAt)
  const subjects = change.items.flatMap(({ operation }) =>
    operation?.op === 'statement.assert' ? [operation.subject.id] : [],
  )
  for (const subject of await recordTable.selectNewest(db, brainId, [...new Set(subjects)]))
    writes.record.know(subject, null)
  for (const { type, version } of versions.all()) {
    const known: VersionWrites = writes[type]
    known.know(version, kindOfType[type].liveKey(version))
  }
  const applying: Applying = {
    change: change.id,
    provenance: toProvenance(change.id, change.stagedBy),
    at: change.createdAt,
    stateVersion: change.baseState + 1,
    twins: new Map(),
  }
  return change.items.map((item) => tryItem(writes, item, applying))
}

/** The hashes of the texts that items would serve, each with the documents that serve it already. */
const findServed = async (db: Db, brainId: number, items: readonly ChangeItem[]) => {
  const hashes = items.flatMap(({ operation }) => (operation?.op === 'document.put' ? [sha256(operation.text)] : []))
  const served = hashes.length === 0 ? [] : await selectServedHashes(db, brainId, hashes)
  return ({ operation, target }: ChangeItem): boolean => {
    if (operation?.op !== 'document.put') return false
    const hash = sha256(operation.text)
    return served.some((one) => one.id !== target.id && one.hash === hash)
  }
}

/** A change with what it would do, or did. */
export const toDetail = async (db: Db, brain: BrainRow, change: StoredChange): Promise<ChangeDetail> => {
  const { brainId } = brain
  const { items } = change
  const versions = await readItemVersions(db, brainId, items)
  const isOpen = change.application !== 'applied'
  const afters = isOpen ? await tryItems(db, brainId, change, versions) : []
  const content = createContentWrites(await loadSchema(db, brainId, brain.schemaVersion), change.createdAt)
  await loadContent(
    db,
    brainId,
    content,
    items.flatMap(({ operation }) => operation ?? []),
  )
  const isServed = await findServed(db, brainId, items)
  const schemaItems = await viewSchemaChange(db, brainId, change)
  return {
    ...summarize(change),
    outdated: isOpen && items.some((item) => isOutdated(content, item)),
    conflicts: isOpen ? listConflicts(content, items, versions) : [],
    items: items.map((item, index) => ({
      item: item.item,
      op: item.op,
      target: item.target,
      before: showVersion(versions, item, item.base),
      after: isOpen ? (afters[index] ?? null) : showVersion(versions, item, item.made),
      flags: item.operation ? findFlags(item.operation, isServed(item)) : [],
      ...schemaItems.get(item.item),
    })),
  }
}
