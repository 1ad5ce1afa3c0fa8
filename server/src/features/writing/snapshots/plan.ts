import type { PlanOp } from '@noema/contracts/snapshots.ts'
import type { Queryable } from '../../../storage/database.ts'
import { maxLoadedBytes } from '../../kernel/versioning/load-budget.ts'
import { changesNothing } from '../../knowledge/documents/apply.ts'
import type { DocumentDetails } from '../../knowledge/documents/content.ts'
import {
  countServedBySource,
  type DocumentVersion,
  documentTable,
  selectServedBySource,
} from '../../knowledge/documents/document-queries.ts'

/** The plan for one document, and the version that it found served. */
export type PlannedItem = {
  id: string
  op: PlanOp
  title: string | null
  baseVersion: number | null
  otherSource: string | null
}

/** An item as plans need it: everything but its text. */
export type Item = { id: string; hash: string; details: DocumentDetails }

/** A plan of some items: what becomes of each, and how many documents the source serves. */
export type Plan = { items: PlannedItem[]; served: number }

const planItem = (source: string, { id, hash, details }: Item, newest: DocumentVersion | undefined): PlannedItem => {
  const served = newest?.toState === null ? newest : undefined
  const title = details.title ?? null
  if (!served) return { id, op: 'add', title, baseVersion: null, otherSource: null }
  const found = { id, title, baseVersion: served.version }
  const servedSource = served.content.source?.name ?? null
  // The document of another source, or of none, is not this one's to replace.
  if (servedSource !== source) return { ...found, op: 'conflict', otherSource: servedSource }
  const op = changesNothing(served.content, details, hash) ? 'unchanged' : 'update'
  return { ...found, op, otherSource: null }
}

/**
 * Compares items with the served documents. If they are `all` that the source has, its other served documents are planned for
 * retirement: a document of another source never is.
 */
export const planItems = async (
  db: Queryable,
  brainId: number,
  source: string,
  { items, all }: { items: readonly Item[]; all: boolean },
): Promise<Plan> => {
  const ids = items.map(({ id }) => id)
  const newest = await documentTable.selectNewest(db, brainId, ids, { left: maxLoadedBytes })
  const byId = new Map(newest.map((version) => [version.id, version]))
  const planned = items.map((item) => planItem(source, item, byId.get(item.id)))
  if (!all) return { items: planned, served: await countServedBySource(db, brainId, source) }
  const kept = new Set(ids)
  const served = await selectServedBySource(db, brainId, source)
  const retired = served
    .filter(({ id }) => !kept.has(id))
    .map(({ id, version, title }): PlannedItem => {
      return { id, op: 'retire', title, baseVersion: version, otherSource: null }
    })
  return { items: [...planned, ...retired], served: served.length }
}

/** True if two plans do the same to a document, found at the same version. */
const isSame = (a: PlannedItem, b: PlannedItem): boolean =>
  a.op === b.op && a.baseVersion === b.baseVersion && a.otherSource === b.otherSource

/** The rows that turn one plan into another: the items that differ, and cancelled retirements. */
export const planDifference = (stored: readonly PlannedItem[], plan: readonly PlannedItem[]) => {
  const before = new Map(stored.map((item) => [item.id, item]))
  const differing = plan.filter((item) => {
    const known = before.get(item.id)
    return known === undefined || !isSame(known, item)
  })
  const now = new Set(plan.map(({ id }) => id))
  const dropped = stored.filter(({ id }) => !now.has(id)).map(({ id }) => id)
  return { differing, dropped, isNone: differing.length === 0 && dropped.length === 0 }
}

/** The numbers of documents that a plan adds, updates, retires, leaves alone, and cannot touch. */
export const countOps = (items: readonly { op: PlanOp }[]): Record<PlanOp, number> => {
  const counts = { add: 0, update: 0, retire: 0, unchanged: 0, conflict: 0 }
  for (const { op } of items) counts[op]++
  return counts
}

/** The number of documents that a plan writes. */
export const countWrites = ({ add, update, retire }: Record<'add' | 'update' | 'retire', number>): number =>
  add + update + retire

/** Retiring more than this many of a source's documents is most likely a mistake (D-60). */
export const toRetireLimit = (served: number): number => Math.max(Math.floor(served / 5), 50)
