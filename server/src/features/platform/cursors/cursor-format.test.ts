import { expect, test } from 'vitest'
import { createListScopes, encodeCursor, openCursor, openPosition, type PageRequest, readListPage } from './cursors.ts'

// Stored events and readers of lists have cursors: every cursor must stay valid forever.

const brain = { brainId: 42, cursorKey: Buffer.alloc(32, 7) }
const organization = createListScopes('secret')('org')

const givenOut = [
  [{ scope: brain, list: 'events', place: 1234 }, '0CEHeBOfnU5TWyJldmVudHMiLDQyLDEyMzRd'],
  [{ scope: brain, list: 'records', place: 'rec_é' }, 'UiIgzTAZIxYIWyJyZWNvcmRzIiw0MiwicmVjX8OpIl0'],
  [{ scope: brain, list: 'query:abc', place: ['Ada', 'id'] }, 'CppQpLdinwZ7WyJxdWVyeTphYmMiLDQyLFsiQWRhIiwiaWQiXV0'],
  [{ scope: organization, list: 'brains', place: 'handle' }, 'eiKl_Z7zI3rTWyJicmFpbnMiLDAsImhhbmRsZSJd'],
] as const

test.each(givenOut)('EVT-09 a cursor is the same text as ever, and opens', async (cursor, text) => {
  const { scope, list, place } = cursor
  expect(encodeCursor({ scope, list, place: typeof place === 'object' ? [...place] : place })).toBe(text)
  expect(await openCursor(cursor, text)).toEqual(place)
})

const refusal = { kind: 'validation' }

test('EVT-09 a cursor opens for its own list and scope alone', async () => {
  const [[events, text]] = givenOut
  await expect(openCursor({ ...events, list: 'records' }, text)).rejects.toMatchObject(refusal)
  const others = [{ ...brain, brainId: 43 }, { ...brain, cursorKey: Buffer.alloc(32, 8) }, organization]
  for (const scope of others) await expect(openCursor({ ...events, scope }, text)).rejects.toMatchObject(refusal)
  const elsewhere = { scope: createListScopes('secret')('other'), list: 'brains' }
  await expect(openCursor(elsewhere, givenOut[3][1])).rejects.toMatchObject(refusal)
})

test('a place of another sort than the list has is refused', async () => {
  const list = { scope: brain, list: 'events', start: 0 }
  expect(await openPosition(list, undefined)).toBe(0)
  const text = encodeCursor({ scope: brain, list: 'events', place: '1234' })
  await expect(openPosition(list, text)).rejects.toMatchObject(refusal)
})

test('a page ends at its last item, or where it began when there is none, and says whether anything is left', async () => {
  const list = { scope: brain, list: 'letters', start: '' }
  const letters = ['a', 'b', 'c']
  const order = 'asc'
  const read = async ({ after = '', limit }: PageRequest<string>) =>
    letters.filter((letter) => letter > after).slice(0, limit)
  const toPlace = (letter: string) => letter
  const first = await readListPage(list, { limit: 2, order }, read, toPlace)
  expect(first).toMatchObject({ items: ['a', 'b'], hasMore: true })
  const second = await readListPage(list, { after: first.cursor, limit: 2, order }, read, toPlace)
  expect(second).toMatchObject({ items: ['c'], hasMore: false })
  const last = await readListPage(list, { after: second.cursor, limit: 2, order }, read, toPlace)
  expect(last).toEqual({ items: [], cursor: second.cursor, hasMore: false })
})

test('D-54b the cursor of a list belongs to its order', async () => {
  const list = { scope: brain, list: 'letters', start: '' }
  const read = async ({ limit }: PageRequest<string>) => ['a', 'b'].slice(0, limit)
  const { cursor } = await readListPage(list, { limit: 1, order: 'asc' }, read, (letter) => letter)
  const backwards = readListPage(list, { after: cursor, limit: 1, order: 'desc' }, read, (letter) => letter)
  await expect(backwards).rejects.toMatchObject(refusal)
})
