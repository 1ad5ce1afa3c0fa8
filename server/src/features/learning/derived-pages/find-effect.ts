import type { EventType } from '@noema/contracts/event-types.ts'
import type { BrainEvent } from '@noema/contracts/events.ts'
import type { Db } from '../../../storage/database.ts'
import type { ContentType } from '../../kernel/versioning/types.ts'
import { contentKinds } from '../../knowledge/content/content.ts'
import { findCorrected } from '../../retrieval/receipts/corrections.ts'
import { selectChanges } from '../../writing/commit/change-store.ts'
import { selectCorrections, selectRewriteLineages } from './page-queries.ts'
import type { PageRow } from './types.ts'

// Events of a Brain affect a page if an item that its last run read has another version now, or if a change corrects the version
// that it read. Rewrites of pages affect other pages, but never a page that they came of, so that circles of pages end.

/** Events of content. Decisions, schemas and dates affect no page. */
export const examinedTypes = [
  'record.accepted',
  'record.deleted',
  'statement.asserted',
  'statement.retracted',
  'document.served',
  'document.retired',
] as const satisfies readonly EventType[]

type ContentEvent = Extract<BrainEvent, { type: (typeof examinedTypes)[number] }>

/** Why a page is written again, and the pages whose rewrites led to that. */
export type Effect = { reason: string; lineage: string[] }

/** At most so many pages in a row are written again because of the one before. */
const maxLineage = 3

type Item = { type: ContentType; id: string; change: string }

const toItem = ({ type, data }: ContentEvent): Item => {
  if ('record' in data) return { type: 'record', id: data.record.id, change: data.change }
  if ('document' in data) return { type: 'document', id: data.document.id, change: data.change }
  if (type === 'statement.asserted' || type === 'statement.retracted')
    return { type: 'statement', id: data.statement.id, change: data.change }
  throw new Error(`${type} has no item`)
}

type Examining = { db: Db; page: PageRow; lineages: ReadonlyMap<string, string[]> }

const named = (type: string, id: string): string => `the ${type} ${JSON.stringify(id)}`

/** The first of some items that has another version than the one that was read. */
const findMoved = async ({ db, page }: Examining, items: readonly Item[]) => {
  const used = new Map(page.used.map(([type, id, version]) => [`${type} ${id}`, version]))
  for (const { type, table } of contentKinds) {
    const touched = items.filter((item) => item.type === type && used.has(`${type} ${item.id}`))
    if (touched.length === 0) continue
    const ids = [...new Set(touched.map(({ id }) => id))]
    for (const { id, version } of await table.selectStandings(db, page.brainId, ids)) {
      if (version === used.get(`${type} ${id}`)) continue
      const change = touched.findLast((item) => item.id === id)?.change ?? ''
      const what = version === null ? 'ended' : `wrote version ${version} of`
      return { change, reason: `The change ${change} ${what} ${named(type, id)}, which this page was made of.` }
    }
  }
  return undefined
}

/** The first of some changes that corrects a version that was read. */
const findCorrection = async ({ db, page }: Examining, changes: readonly string[]) => {
  for (const { id, corrects } of await selectCorrections(db, page.brainId, changes)) {
    const found = await selectChanges(db, page.brainId, [id, corrects])
    const [by, of] = [id, corrects].map((one) => found.find((change) => change.id === one))
    if (!by || !of) continue
    const ranges = findCorrected(by, of)
    const hit = page.used.find(([type, item, version]) =>
      ranges.some((range) => range.type === type && range.id === item && range.from <= version && version <= range.to),
    )
    if (hit)
      return {
        change: id,
        reason: `The change ${id} corrects ${corrects}, which wrote ${named(hit[0], hit[1])}, which this page was made of.`,
      }
  }
  return undefined
}

/** The effect of events on a page; undefined if there is none. */
export const findEffect = async (
  db: Db,
  page: PageRow,
  events: readonly ContentEvent[],
): Promise<Effect | undefined> => {
  const all = events.map(toItem).filter(({ type, id }) => type !== 'document' || id !== page.documentId)
  const lineages = await selectRewriteLineages(db, page.brainId, [...new Set(all.map(({ change }) => change))])
  const mayCause = ({ change }: Item): boolean => {
    const lineage = lineages.get(change) ?? []
    return lineage.length < maxLineage && !lineage.includes(page.documentId)
  }
  const items = all.filter(mayCause)
  const examining = { db, page, lineages }
  const effect =
    (await findMoved(examining, items)) ??
    (await findCorrection(examining, [...new Set(items.map(({ change }) => change))]))
  return effect && { reason: effect.reason, lineage: [...(lineages.get(effect.change) ?? []), page.documentId] }
}
