import { expect } from 'vitest'
import { createRequester } from '../app.ts'
import { type Acknowledged, type Place, sendOnce } from './writers.ts'

// The invariants after any fault: every acknowledged write exists, once and whole, and the stream reports exactly these.

type Event = { cursor: string; type: string; data: { change: string; stateVersion?: number } }

const readAll = async <Item>(place: Place, below: string, name: string): Promise<Item[]> => {
  const request = createRequester(place.url())
  const items: Item[] = []
  for (let after = ''; ; ) {
    const { status, body } = await request('GET', `${place.brainPath}${below}?limit=500${after}`, { key: place.secret })
    expect(status).toBe(200)
    items.push(...body.data[name])
    if (!body.data.hasMore) return items
    after = `&after=${body.data.cursor}`
  }
}

const countByTag = (tags: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const tag of tags) counts[tag] = (counts[tag] ?? 0) + 1
  return counts
}

const expectedByTag = (acknowledged: readonly Acknowledged[], sort: 'records' | 'documents' | 'statements') =>
  Object.fromEntries(
    acknowledged.flatMap(({ write }) => (write.makes[sort] > 0 ? [[write.tag, write.makes[sort]]] : [])),
  )

/** Every acknowledged write is there once, whole and with its ids; nothing else is there. */
const verifyContents = async (place: Place, acknowledged: readonly Acknowledged[]): Promise<void> => {
  const records = await readAll<{ id: string; fields: { tag: string } }>(place, '/records', 'records')
  const documents = await readAll<{ id: string; title: string }>(place, '/documents', 'documents')
  const statements = await readAll<{ id: string; predicate: string }>(place, '/statements', 'statements')
  expect(countByTag(records.map(({ fields }) => fields.tag))).toEqual(expectedByTag(acknowledged, 'records'))
  expect(countByTag(documents.map(({ title }) => title))).toEqual(expectedByTag(acknowledged, 'documents'))
  expect(countByTag(statements.map(({ predicate }) => predicate))).toEqual(expectedByTag(acknowledged, 'statements'))
  const ids = new Set([...records, ...documents, ...statements].map(({ id }) => id))
  for (const { text, status } of acknowledged) {
    if (status >= 300) continue
    const { data } = JSON.parse(text)
    for (const { id } of data.results ?? [data.record ?? data.document]) expect(ids.has(id), id).toBe(true)
  }
}

/** The stream holds each acknowledged change once and whole, in the order of states 1 to n. */
const verifyStream = async (place: Place, acknowledged: readonly Acknowledged[]): Promise<void> => {
  const events = await readAll<Event>(place, '/events', 'events')
  const landed = acknowledged.filter(({ status }) => status < 300)
  const expected = landed.map(({ write, text }) => {
    const { change, stateVersion } = JSON.parse(text).data
    const { records, documents, statements } = write.makes
    return { change: change.id, stateVersion, events: records + documents + statements }
  })
  expected.sort((one, two) => one.stateVersion - two.stateVersion)
  expect(expected.map(({ stateVersion }) => stateVersion)).toEqual(expected.map((_, index) => index + 1))
  expect(events.map(({ data }) => data.change)).toEqual(
    expected.flatMap(({ change, events: count }) => Array(count).fill(change)),
  )
  expect(new Set(events.map(({ cursor }) => cursor)).size).toBe(events.length)
}

/** A repeated write gets the same answer, and is refused with another body. */
const verifyReplay = async (place: Place, { write, status, text }: Acknowledged): Promise<void> => {
  const again = await sendOnce(place, write)
  expect({ status: again?.status, text: again?.text, tag: write.tag }).toEqual({ status, text, tag: write.tag })
  if (status >= 300) return
  expect(again?.isReplay, write.tag).toBe(true)
  const different = { text: 'other', kind: 'other', operations: [{ op: 'record.create', kind: 'other' }] }
  expect((await sendOnce(place, write, { ...write.body, ...different }))?.status, write.tag).toBe(409)
}

const verifyReplays = async (place: Place, acknowledged: readonly Acknowledged[]): Promise<void> => {
  const left = [...acknowledged]
  const verifyNext = async () => {
    for (let next = left.pop(); next; next = left.pop()) await verifyReplay(place, next)
  }
  await Promise.all(Array.from({ length: 16 }, verifyNext))
}

/** Checks all invariants; `acknowledged` is every write that was ever answered. */
export const verify = async (place: Place, acknowledged: readonly Acknowledged[]): Promise<void> => {
  for (const { write, status, text } of acknowledged)
    expect([status, write.tag], text).toEqual([write.status, write.tag])
  await verifyContents(place, acknowledged)
  await verifyStream(place, acknowledged)
  await verifyReplays(place, acknowledged)
  await verifyContents(place, acknowledged)
}
