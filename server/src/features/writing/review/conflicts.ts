import type { Content } from '../../kernel/versioning/types.ts'
import { type ContentWrites, kindOfType } from '../../knowledge/content/content.ts'
import type { ChangeItem } from '../commit/change-store.ts'
import type { ItemVersions } from './item-versions.ts'

/** The current state of an item's target: the number of its version (null: none), and its content if that was read. */
export type FindCurrent = (item: ChangeItem) => { version: number | null; content?: Content | undefined }

/** The current state in the content that a commit batch works on. */
export const findCurrentIn =
  (content: ContentWrites): FindCurrent =>
  ({ target }) => {
    if (target.type === 'schema') return { version: content.schema.version }
    const current = content[target.type].current(target.id)
    return { version: current?.version ?? null, content: current?.content }
  }

/** True if the target of an item has moved since its proposal. */
export const isOutdated = (findCurrent: FindCurrent, item: ChangeItem): boolean =>
  findCurrent(item).version !== item.base

/** True if others changed none of an operation's targets since: then it still means the same. */
const stillFits = (findCurrent: FindCurrent, item: ChangeItem, bases: ItemVersions): boolean => {
  const { operation, target } = item
  if (!operation || target.type === 'schema') return false
  const now = findCurrent(item).content
  const then = bases.find(item, item.base)?.content
  return now !== undefined && then !== undefined && kindOfType[target.type].stillFits(operation, then, now)
}

/** The items whose base has moved in conflict: publishing them would overwrite what the reviewer has not seen. */
export const listConflicts = (findCurrent: FindCurrent, items: readonly ChangeItem[], bases: ItemVersions): string[] =>
  items.filter((item) => isOutdated(findCurrent, item) && !stillFits(findCurrent, item, bases)).map(({ item }) => item)
