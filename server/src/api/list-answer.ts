import { type CursorPosition, type PageRequest, readListPage } from '../features/platform/cursors/cursors.ts'

/** Which page of a list by text is read. */
export type ListPage = PageRequest<string>

/** Reads a page of a list and answers it under a name. */
export const listAnswer = async <Item, Place extends CursorPosition>(
  name: string,
  ...request: Parameters<typeof readListPage<Item, Place>>
) => {
  const { items, cursor, hasMore } = await readListPage(...request)
  return { data: { [name]: items, cursor, hasMore } }
}
