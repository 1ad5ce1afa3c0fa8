import { type ContentWrites, kindOfType } from '../../brain/content/content.ts'
import type { ChangeItem } from '../commit/commit.ts'
import type { ItemVersions } from './item-versions.ts'

const currentVersion = (content: ContentWrites, { target }: ChangeItem): number | null =>
  target.type === 'schema' ? content.schema.version : (content[target.type].current(target.id)?.version ?? null)

/** Whether what an item was proposed on is no longer what is there. */
export const isOutdated = (content: ContentWrites, item: ChangeItem): boolean =>
  currentVersion(content, item) !== item.base

/** Whether an operation touches only what nobody changed since: then it still means what it meant. */
const stillFits = (content: ContentWrites, item: ChangeItem, bases: ItemVersions): boolean => {
  const { operation, target } = item
  if (!operation || target.type === 'schema') return false
  const now = content[target.type].current(target.id)?.content
  const then = bases.find(item, item.base)?.content
  return now !== undefined && then !== undefined && kindOfType[target.type].stillFits(operation, then, now)
}

/** The items whose base has moved in conflict: publishing them would overwrite what the reviewer has not seen. */
export const listConflicts = (content: ContentWrites, items: readonly ChangeItem[], bases: ItemVersions): string[] =>
  items.filter((item) => isOutdated(content, item) && !stillFits(content, item, bases)).map(({ item }) => item)
