import type { ChangeSummary, changeDetail } from '@noema/contracts/changes.ts'
import type { z } from 'zod'
import { summarizeActor } from '../../../shared/actor.ts'
import type { Db } from '../../../storage/database.ts'
import type { BrainRow } from '../../brain/brains/brains.ts'
import { ReminderWrites } from '../../brain/dates/dates.ts'
import { DocumentWrites, hashOf, selectNumberedDocuments, selectServedHashes } from '../../brain/documents/documents.ts'
import { RecordWrites, selectRecordVersions } from '../../brain/records/records.ts'
import { loadSchema, SchemaWrites } from '../../brain/schema/schema.ts'
import { StatementWrites, selectStatements } from '../../brain/statements/statements.ts'
import type { ChangeItem, StoredChange } from '../commit/change-store.ts'
import { applyOperations, type ContentWrites, loadContent } from '../commit/write-set.ts'
import { isEvolution } from '../schema-changes/apply-schema-change.ts'
import { countViolations, noViolations, stepsOf, type ViolationCount } from '../schema-changes/count-violations.ts'
import { baseName, conflictsOf, isOutdated } from './conflicts.ts'
import { flagsOf } from './flags.ts'

type ChangeDetail = z.infer<typeof changeDetail>
type Item = ChangeDetail['items'][number]
type Thing = NonNullable<Item['before']>

const told = <Name extends string>(name: Name, value: string | null): { [N in Name]?: string } =>
  (value === null ? {} : { [name]: value }) as { [N in Name]?: string }

/** A change as the queue lists it. */
export const summaryOf = (change: StoredChange): ChangeSummary => ({
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
  itemCount: change.items.length,
})

/** Everything that the items of a change found and made, by type, id and version. */
const loadVersions = async (db: Db, brainId: number, items: readonly ChangeItem[]) => {
  const wanted = (type: ChangeItem['target']['type']) =>
    items
      .filter(({ target }) => target.type === type)
      .flatMap(({ target, base, made }) =>
        [base, made].flatMap((version) => (version === null ? [] : [{ id: target.id, version }])),
      )
  const ids = wanted('statement').map(({ id }) => id)
  const subjects = items.flatMap(({ operation }) =>
    operation?.op === 'statement.assert' ? [operation.subject.id] : [],
  )
  return {
    records: await selectRecordVersions(db, brainId, wanted('record')),
    documents: await selectNumberedDocuments(db, brainId, wanted('document')),
    statements: ids.length === 0 ? [] : await selectStatements(db, brainId, { ids, identities: [], subjects: [] }),
    subjects,
  }
}

type Versions = Awaited<ReturnType<typeof loadVersions>>

const thingAt = (versions: Versions, { target }: ChangeItem, version: number | null): Thing | null => {
  if (version === null || target.type === 'schema') return null
  const isIt = (row: { id: string; version: number }) => row.id === target.id && row.version === version
  if (target.type === 'record') return (versions.records.find(isIt)?.record as Thing | undefined) ?? null
  if (target.type === 'statement')
    return (versions.statements.find(({ id }) => id === target.id)?.statement as Thing | undefined) ?? null
  const document = versions.documents.find(isIt)
  return document ? ({ ...document.document, text: document.text } as unknown as Thing) : null
}

/** What the items would make of what they were proposed on. */
const tryItems = async (
  db: Db,
  brainId: number,
  change: StoredChange,
  versions: Versions,
): Promise<(Thing | null)[]> => {
  // What a write would look like is shown whatever the schema says of it by now.
  const schema = new SchemaWrites()
  const writes: ContentWrites = {
    records: new RecordWrites(schema),
    statements: new StatementWrites(),
    documents: new DocumentWrites(),
    schema,
    dates: new ReminderWrites(schema),
    undo: schema.undo,
  }
  const current = await loadContent(
    db,
    brainId,
    change.items.flatMap(({ operation }) => operation ?? []),
    new SchemaWrites(),
  )
  for (const id of versions.subjects) {
    const subject = current.records.current(id)
    if (subject) writes.records.know(subject)
  }
  for (const record of versions.records) writes.records.know(record)
  for (const { text, ...document } of versions.documents) writes.documents.know(document)
  for (const statement of versions.statements) writes.statements.know({ ...statement, toState: null, retraction: null })
  const applying = {
    change: change.id,
    actor: change.stagedBy,
    at: change.createdAt,
    stateVersion: change.baseState + 1,
  }
  return change.items.map(({ operation }) => {
    if (!operation || /\.(delete|retract|retire)$/.test(operation.op)) return null
    try {
      const { applied } = applyOperations(
        writes,
        { operations: [{ ...operation, ifMatch: undefined } as typeof operation], isBatch: false },
        applying,
      )
      const view = applied[0]?.view as Thing
      return operation.op === 'document.put' ? { ...view, text: operation.text } : view
    } catch {
      // It could not be applied even to what it was proposed on; the item then has no after.
      return null
    }
  })
}

/** What the items of a schema change would do, or did, by item. */
const viewEvolution = async (db: Db, brainId: number, change: StoredChange): Promise<Map<string, Partial<Item>>> => {
  if (!isEvolution(change)) return new Map()
  const steps = await stepsOf(db, brainId, change)
  const isOpen = change.application !== 'applied' && change.decision !== 'superseded'
  const counts = isOpen ? await countViolations(db, brainId, steps) : new Map<string, ViolationCount>()
  return new Map(
    change.items.map(({ item, tag = 'weakening', violations = 0, violationsAtLeast = false }) => {
      const step = steps.find((one) => one.item === item)
      const count = isOpen ? (counts.get(item) ?? noViolations) : { violations, violationsAtLeast }
      const { before, after } = step ?? { before: null, after: null }
      return [item, { before: before as Thing | null, after: after as Thing | null, tag, ...count }]
    }),
  )
}

/** A change with what it would do, or did. */
export const detailOf = async (db: Db, brain: BrainRow, change: StoredChange): Promise<ChangeDetail> => {
  const { brainId } = brain
  const operations = change.items.flatMap(({ operation }) => operation ?? [])
  const versions = await loadVersions(db, brainId, change.items)
  const isOpen = change.application !== 'applied'
  const afters = isOpen ? await tryItems(db, brainId, change, versions) : []
  const schema = new SchemaWrites(await loadSchema(db, brainId, brain.schemaVersion))
  const content = await loadContent(db, brainId, operations, schema)
  const hashes = operations.flatMap((operation) => (operation.op === 'document.put' ? [hashOf(operation.text)] : []))
  const served = hashes.length === 0 ? [] : await selectServedHashes(db, brainId, hashes)
  const bases = new Map(versions.records.map((row) => [baseName(row.id, row.version), row.record]))
  const evolution = await viewEvolution(db, brainId, change)
  const isServed = (item: ChangeItem) => {
    const { operation } = item
    return (
      operation?.op === 'document.put' &&
      served.some(({ id, hash }) => id !== item.target.id && hash === hashOf(operation.text))
    )
  }
  return {
    ...summaryOf(change),
    outdated: isOpen && change.items.some((item) => isOutdated(content, item)),
    conflicts: isOpen ? conflictsOf(content, change.items, bases) : [],
    items: change.items.map((item, index) => ({
      item: item.item,
      op: item.op,
      target: item.target,
      before: thingAt(versions, item, item.base),
      after: isOpen ? (afters[index] ?? null) : thingAt(versions, item, item.made),
      flags: item.operation ? flagsOf(item.operation, isServed(item)) : [],
      ...evolution.get(item.item),
    })),
  }
}
