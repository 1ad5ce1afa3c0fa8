import type { Operation } from '@noema/contracts/batch.ts'
import type { Clock } from '../../../shared/clock.ts'
import { ApiError, conflict, MovesToWorker, notFound } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import {
  isTooMuchContent,
  type LoadBudget,
  maxLoadedBytes,
  maxMovableBytes,
} from '../../kernel/versioning/load-budget.ts'
import type { ContentType, Inverse, Version } from '../../kernel/versioning/types.ts'
import { contentKinds } from '../../knowledge/content/content.ts'
import { type ChangeItem, type StoredChange, selectChanges } from '../commit/change-store.ts'
import type { Write } from '../commit/commit.ts'
import type { Commits } from '../commit/commit-engine.ts'
import { readItemVersions } from './item-versions.ts'

// The inverse of an applied change, as operations: its new content is ended, its ended content is made again. Later writes of
// others stay; if they changed the content to restore, the revert is refused.

const overwritten = (item: ChangeItem) =>
  conflict(
    `Item ${item.item} (${item.target.type} ${JSON.stringify(item.target.id)}) has been written again since. Write the correct content instead, with "corrects".`,
    { code: 'changed_since', details: [{ path: ['items', item.item], message: 'Written again since this change.' }] },
  )

/** The first and last item on each target: what the change found there, and what it left. */
const mergeItems = (items: readonly ChangeItem[]): ChangeItem[] => {
  const merged = new Map<string, ChangeItem>()
  for (const item of items) {
    const name = `${item.target.type} ${item.target.id}`
    const first = merged.get(name)
    merged.set(name, first ? { ...item, base: first.base } : item)
  }
  return [...merged.values()].reverse()
}

/** A landed change, with the state that it made. */
type Landed = { id: string; stateVersion: number; items: readonly ChangeItem[] }

/** The content that a change ended along with deleted records, and that is no item of its own. */
const readEndedAlong = async (db: Db, brainId: number, { items, stateVersion }: Landed, budget: LoadBudget) => {
  const deleted = items.filter(({ op }) => op === 'record.delete').map(({ target }) => target.id)
  const along: { type: ContentType; version: Version }[] = []
  for (const { type, selectEndedAlong } of contentKinds)
    for (const version of (await selectEndedAlong?.(db, brainId, deleted, { stateVersion, budget })) ?? [])
      along.push({ type, version })
  return along
}

const invertItems = async (db: Db, brainId: number, landed: Landed, budget: LoadBudget): Promise<Inverse[]> => {
  const items = mergeItems(landed.items)
  const versions = await readItemVersions(db, brainId, items, { budget })
  const along = await readEndedAlong(db, brainId, landed, budget)
  const { id: change, stateVersion } = landed
  const inverses: Inverse[] = []
  for (const kind of contentKinds) {
    const own = items.filter(({ target }) => target.type === kind.type)
    const newest = await kind.table.selectNewest(
      db,
      brainId,
      own.map(({ target }) => target.id),
      budget,
    )
    const ended = along.flatMap(({ type, version }) => (type === kind.type ? [version] : []))
    const keys = [...newest, ...ended].flatMap((version) => kind.liveKey(version) ?? [])
    const held = await kind.selectHeldKeys?.(db, brainId, keys)
    const isHeld = (version: Version | undefined) =>
      version !== undefined && held?.has(kind.liveKey(version) ?? '') === true
    for (const item of own) {
      const { target, base, made } = item
      const last = newest.find(({ id }) => id === target.id)
      inverses.push(
        kind.invert({
          ...{ id: target.id, made, change, stateVersion },
          base: versions.find(item, base),
          left: versions.find(item, made),
          newest: last,
          isHeld: isHeld(last),
          refuse: () => {
            throw overwritten(item)
          },
        }),
      )
    }
    for (const version of ended)
      inverses.push(kind.invert({ ...endedAlong(version, { change, stateVersion }), isHeld: isHeld(version) }))
  }
  return inverses
}

/** Something that a change ended without an item of its own. */
const endedAlong = (newest: Version, landed: { change: string; stateVersion: number }) => ({
  ...{ id: newest.id, made: null, base: undefined, left: undefined, newest, ...landed },
  refuse: () => {
    throw new Error('Content that ended with a record cannot have been written since.')
  },
})

/** The operations that undo a landed change. Each that depends on what is there now expects just that version. */
const invertChange = async (db: Db, brainId: number, id: string, budget: LoadBudget): Promise<Operation[]> => {
  const [change] = await selectChanges(db, brainId, [id], budget)
  if (!change) throw notFound(`There is no change ${JSON.stringify(id)} in this Brain.`)
  if (change.application !== 'applied')
    throw conflict(
      `This change is ${change.decision} and ${change.application}; only an applied change can be reverted.`,
      {
        code: 'not_applied',
      },
    )
  const inverses = await invertItems(db, brainId, toLanded(change), budget)
  const of = (part: keyof Inverse) => inverses.flatMap((inverse) => inverse[part] ?? [])
  // Statements rest on records: retracted before those go, asserted after those are back.
  const operations = [...of('ends'), ...of('writes'), ...of('rests')]
  if (operations.length === 0)
    throw conflict('There is nothing left of this change to revert.', { code: 'nothing_to_revert' })
  return operations
}

/** Content that comes back without an expiry that has passed: it would go again at once. */
const withoutPastExpiry = (operations: readonly Operation[], now: Date): Operation[] =>
  operations.map((operation) => {
    if (!('expiresAt' in operation) || !operation.expiresAt || operation.expiresAt > now.toISOString()) return operation
    const { expiresAt, ...rest } = operation
    return rest
  })

const toLanded = ({ id, stateVersion, items }: StoredChange): Landed => ({ id, stateVersion: stateVersion ?? 0, items })

/** The write that undoes a landed change, or why there is none. */
export const planRevert = async (
  { db, clock, commitEngine: { mayMove } }: { db: Db; clock: Clock; commitEngine: Commits },
  brainId: number,
  id: string,
  reason: string | undefined,
): Promise<Write> => {
  const budget = { left: mayMove ? maxMovableBytes : maxLoadedBytes }
  const write = { isBatch: true, restores: true, corrects: id, reason, asked: ['revert', id, reason ?? null] }
  try {
    const operations = await invertChange(db, brainId, id, budget)
    return { ...write, operations: withoutPastExpiry(operations, clock.now()) }
  } catch (error) {
    if (mayMove && isTooMuchContent(error)) throw new MovesToWorker()
    if (!(error instanceof ApiError)) throw error
    return { ...write, corrects: undefined, operations: [], refusal: error }
  }
}
