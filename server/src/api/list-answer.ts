import {
  badCursor,
  type CursorList,
  type CursorScope,
  sealCursor,
  unsealCursor,
} from '../features/platform/cursors/cursors.ts'

/** Where a page of an organization's list begins: after the cursor's place, or at the front. */
export const startOf = (list: CursorList, scope: CursorScope, after: string | undefined): string => {
  if (after === undefined) return ''
  const sealed = unsealCursor(after)
  const isOurs = sealed?.list === list && sealed.brainId === scope.brainId && sealed.isSealedBy(scope.cursorKey)
  if (!isOurs || typeof sealed.value !== 'string') throw badCursor()
  return sealed.value
}

type Page<Item> = { items: readonly Item[]; place: (item: Item) => string; limit: number; after: string }

/** The answer of a list. `items` holds one more than the page when anything is left. */
export const listAnswer = <Item>(
  list: CursorList,
  name: string,
  scope: CursorScope,
  { items, place, limit, after }: Page<Item>,
) => {
  const shown = items.slice(0, limit)
  const last = shown.at(-1)
  const cursor = sealCursor(list, scope, last === undefined ? after : place(last))
  return { data: { [name]: shown, cursor, hasMore: items.length > limit } }
}
