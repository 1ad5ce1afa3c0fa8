import { isDeepStrictEqual } from 'node:util'
import type { Operation } from '@noema/contracts/batch.ts'
import type { BrainRecord } from '@noema/contracts/records.ts'
import { ApiError, conflict, notFound } from '../../../shared/errors.ts'
import type { JsonObject } from '../../../shared/json.ts'
import type { Db } from '../../../storage/database.ts'
import { loadDocumentWrites, selectNumberedDocuments } from '../../brain/documents/documents.ts'
import { loadRecordWrites, selectRecordVersions } from '../../brain/records/records.ts'
import { SchemaWrites } from '../../brain/schema/schema.ts'
import { selectRetractedBy, selectStatements } from '../../brain/statements/statements.ts'
import { type ChangeItem, type StoredChange, selectChanges } from '../commit/change-store.ts'
import type { Write } from '../commit/commit.ts'

// The inverse of a landed change, as operations: what it made is ended, what it ended is made again. What others wrote
// since stays; where they wrote over the very thing that would be put back, the revert is refused.

type Numbered<Row> = { base: Row | undefined; made: Row | undefined }

const overwritten = (item: ChangeItem) =>
  conflict(
    `Item ${item.item} (${item.target.type} ${JSON.stringify(item.target.id)}) has been written again since. Write the correct content instead, with "corrects".`,
    { code: 'changed_since', details: [{ path: ['items', item.item], message: 'Written again since this change.' }] },
  )

/** The first and last item on each target: what the change found there, and what it left. */
const netItems = (items: readonly ChangeItem[]): ChangeItem[] => {
  const net = new Map<string, ChangeItem>()
  for (const item of items) {
    const name = `${item.target.type} ${item.target.id}`
    const first = net.get(name)
    net.set(name, first ? { ...item, base: first.base } : item)
  }
  return [...net.values()].reverse()
}

const numbered = <Row extends { id: string; version: number }>(
  rows: readonly Row[],
  item: ChangeItem,
): Numbered<Row> => {
  const at = (version: number | null) =>
    version === null ? undefined : rows.find((row) => row.id === item.target.id && row.version === version)
  return { base: at(item.base), made: at(item.made) }
}

/** The part of a record that the change wrote, put back as a patch that leaves what others wrote alone. */
const restoringPatch = (
  item: ChangeItem,
  now: BrainRecord,
  { base, made }: Numbered<{ record: BrainRecord }>,
): Operation => {
  const [then, left] = [base?.record, made?.record]
  if (!then || !left || left.kind !== now.kind || then.kind !== left.kind || then.slug !== left.slug)
    throw overwritten(item)
  const names = [...new Set([...Object.keys(then.fields), ...Object.keys(left.fields)])]
  const written = names.filter((name) => !isDeepStrictEqual(then.fields[name], left.fields[name]))
  const isTouched = written.some((name) => !isDeepStrictEqual(now.fields[name], left.fields[name]))
  if (isTouched || !isDeepStrictEqual(then.links, left.links)) throw overwritten(item)
  // A merge patch cannot put an object back exactly where another stands, so the whole set of fields is sent.
  const fields: JsonObject = { ...now.fields }
  for (const name of written) {
    const value = then.fields[name]
    if (value === undefined) delete fields[name]
    else fields[name] = value
  }
  const { id, kind, slug, links } = now
  return { op: 'record.put', id, kind, fields, links, ...(slug === null ? {} : { slug }), ifMatch: now.version }
}

const restoreRecords = async (db: Db, brainId: number, items: readonly ChangeItem[]): Promise<Operation[]> => {
  const ids = new Set(items.map(({ target }) => target.id))
  const writes = await loadRecordWrites(db, brainId, [], { ids, schema: new SchemaWrites() })
  const versions = await selectRecordVersions(db, brainId, versionsOf(items))
  return items.flatMap((item): Operation[] => {
    const { id } = item.target
    const now = writes.current(id)
    const { base, made } = numbered(versions, item)
    if (now && now.version !== item.made) {
      if (!base) throw overwritten(item)
      return [restoringPatch(item, now.record, { base, made })]
    }
    const ifMatch = now ? { ifMatch: now.version } : {}
    if (!base) return now ? [{ op: 'record.delete', id, ...ifMatch }] : []
    const { kind, slug, fields, links } = base.record
    return [{ op: 'record.put', id, kind, fields, links, ...(slug === null ? {} : { slug }), ...ifMatch }]
  })
}

const restoreDocuments = async (db: Db, brainId: number, items: readonly ChangeItem[]): Promise<Operation[]> => {
  const ids = items.map(({ target }) => target.id)
  const writes = await loadDocumentWrites(db, brainId, ids)
  const versions = await selectNumberedDocuments(db, brainId, versionsOf(items))
  return items.flatMap((item): Operation[] => {
    const { id } = item.target
    const now = writes.current(id)
    if ((now?.version ?? null) !== item.made) throw overwritten(item)
    const { base } = numbered(versions, item)
    const ifMatch = now ? { ifMatch: now.version } : {}
    if (!base) return now ? [{ op: 'document.retire', id, ...ifMatch }] : []
    const { title, contentType, source, metadata, occurredAt, sequence } = base.document
    const details = { contentType, metadata, ...given({ title, source, occurredAt, sequence }) }
    return [{ op: 'document.put', id, text: base.text, ...details, ...ifMatch }]
  })
}

const given = <Fields extends Record<string, unknown>>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as {
    [Name in keyof Fields]?: NonNullable<Fields[Name]>
  }

const restoreStatements = async (db: Db, brainId: number, change: StoredChange, items: readonly ChangeItem[]) => {
  const ids = items.map(({ target }) => target.id)
  const rows = ids.length === 0 ? [] : await selectStatements(db, brainId, { ids, identities: [], subjects: [] })
  const deleted = change.items.filter(({ op }) => op === 'record.delete').map(({ target }) => target.id)
  const along = await selectRetractedBy(db, brainId, deleted, change.stateVersion ?? 0)
  const madeHere = rows.filter(({ fromState, toState }) => fromState === change.stateVersion && toState === null)
  const endedHere = [...rows, ...along].filter(
    ({ fromState, toState }) => fromState !== change.stateVersion && toState === change.stateVersion,
  )
  const retractions = madeHere.map(
    ({ id }): Operation => ({ op: 'statement.retract', id, reason: `Change ${change.id} was reverted.` }),
  )
  // A retracted statement stays retracted; what it said is asserted anew.
  const assertions = endedHere.map(({ statement }): Operation => {
    const { subject, predicate, object, sources, validFrom, validTo, confidence } = statement
    return { op: 'statement.assert', subject, predicate, object, sources, ...given({ validFrom, validTo, confidence }) }
  })
  return { retractions, assertions }
}

const versionsOf = (items: readonly ChangeItem[]) =>
  items.flatMap(({ target, base, made }) =>
    [base, made].flatMap((version) => (version === null ? [] : [{ id: target.id, version }])),
  )

/** The operations that undo a landed change. Each that depends on what is there now expects just that version. */
const inverseOf = async (db: Db, brainId: number, id: string): Promise<Operation[]> => {
  const [change] = await selectChanges(db, brainId, [id])
  if (!change) throw notFound(`There is no change ${JSON.stringify(id)} in this Brain.`)
  if (change.application !== 'applied')
    throw conflict(
      `This change is ${change.decision} and ${change.application}; only an applied change can be reverted.`,
      {
        code: 'not_applied',
      },
    )
  const items = netItems(change.items)
  const of = (type: ChangeItem['target']['type']) => items.filter(({ target }) => target.type === type)
  const statements = await restoreStatements(db, brainId, change, of('statement'))
  const records = await restoreRecords(db, brainId, of('record'))
  const documents = await restoreDocuments(db, brainId, of('document'))
  // Statements rest on records: retracted before those go, asserted after those are back.
  const operations = [...statements.retractions, ...records, ...documents, ...statements.assertions]
  if (operations.length === 0)
    throw conflict('There is nothing left of this change to revert.', { code: 'nothing_to_revert' })
  return operations
}

/** The write that undoes a landed change, or why there is none. */
export const revertOf = async (
  deps: { db: Db },
  brainId: number,
  id: string,
  reason: string | undefined,
): Promise<Write> => {
  const write = { isBatch: true, corrects: id, reason, asked: ['revert', id, reason ?? null] }
  try {
    return { ...write, operations: await inverseOf(deps.db, brainId, id) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { ...write, corrects: undefined, operations: [], refusal: error }
  }
}
