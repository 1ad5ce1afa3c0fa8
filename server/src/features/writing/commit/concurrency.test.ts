import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Answered,
  createBrain,
  createRequester,
  type Requester,
  startTestApp,
  type TestApp,
  type TestBrain,
} from '../../../test/app.ts'
import { startNodeProcess } from '../../../test/faults/server-process.ts'

const seed = fc.sample(fc.integer({ min: 1 }), 1)[0] ?? 1
const writers = 50
const writesPerWriter = 12

let app: TestApp
let other: { request: Requester; close(): Promise<void> }
let brain: TestBrain
// On a busy machine, so many requests at once would be refused after a while.
const patient = { NOEMA_MAX_WAIT: '60000' }
beforeAll(async () => {
  app = await startTestApp(patient)
  // In a process of its own: the two share the database and nothing else.
  const node = await startNodeProcess(app.database.url, patient)
  other = { request: createRequester(node.base), close: node.close }
  brain = await createBrain(app)
  await brain.call('PUT', '/records/contested', { kind: 'k', slug: 'contested' })
  await brain.call('PUT', '/records/contested', { kind: 'k', slug: 'contested', fields: { v: 2 } })
})
afterAll(async () => {
  await other.close()
  await app.close()
})

type Event = { cursor: string; data: { change: string; stateVersion?: number } }

/** A random write; most are applied, some are refused after a part of them was tried. */
const write = (request: Requester, choice: number, name: string): Promise<Answered> => {
  const send = (method: string, below: string, body?: unknown, headers: Record<string, string> = {}) =>
    request(method, brain.path + below, { key: brain.key, headers, ...(body === undefined ? {} : { body }) })
  switch (choice) {
    case 0:
      return send('PUT', '/records/contested', { kind: 'k', fields: { name } }, { 'if-match': '"1"' })
    case 1:
      return send('POST', '/batch', {
        operations: [
          { op: 'record.put', id: name, kind: 'k' },
          { op: 'document.retire', id: 'never' },
        ],
      })
    case 2:
      return send('PUT', `/records/${name}`, { kind: 'k', slug: 'contested' })
    case 3:
      return send('POST', '/documents', { id: name, text: name })
    case 4: {
      const operations = [
        { op: 'record.put', id: name, kind: 'k' },
        { op: 'record.patch', id: name, fields: { name } },
      ]
      return send('POST', '/batch', { operations })
    }
    default:
      return send('PUT', `/records/${name}`, { kind: 'k', fields: { name } })
  }
}

/** Reads the stream to its end, again and again on one node after the other, until `isDone`. */
const follow = async (isDone: () => boolean, limit: number): Promise<Event[]> => {
  const seen: Event[] = []
  let after = ''
  for (let turn = 0; ; turn++) {
    const last = isDone()
    const request = turn % 2 === 0 ? app.request : other.request
    const { body } = await request('GET', `${brain.path}/events?limit=${limit}${after}`, { key: brain.key })
    const { events, cursor, hasMore } = body.data
    seen.push(...events)
    // By turns the page's cursor and the last event's.
    after = `&after=${turn % 3 === 0 && events.length > 0 ? events.at(-1).cursor : cursor}`
    if (last && !hasMore) return seen
    await setImmediate()
  }
}

test(`EVT-03 EVT-04 fifty writers and four readers on two nodes see one stream, nothing missed or repeated (seed ${seed})`, async () => {
  const choices = fc.sample(
    fc.array(fc.integer({ min: 0, max: 8 }), { minLength: writesPerWriter, maxLength: writesPerWriter }),
    { numRuns: writers, seed },
  )
  let done = false
  const readers = [1, 7, 100, 500].map((limit) => follow(() => done, limit))
  const answers = await Promise.all(
    choices.map(async (plan, writer) => {
      const answered: { choice: number; answer: Answered }[] = []
      for (const [step, choice] of plan.entries()) {
        const node = (writer + step) % 2 === 0 ? app.request : other.request
        answered.push({ choice, answer: await write(node, choice, `w${writer}-${step}`) })
      }
      return answered
    }),
  )
  done = true
  const streams = await Promise.all(readers)

  const landed: string[] = []
  let expectedEvents = 2
  for (const { choice, answer } of answers.flat()) {
    expect([answer.status, choice]).toEqual([[409, 404, 409][choice] ?? (choice === 4 ? 200 : 201), choice])
    if (answer.status >= 300) continue
    landed.push(answer.body.data.change.id)
    expectedEvents += choice === 4 ? 2 : 1
  }
  const whole = (await brain.call('GET', '/events?limit=1')).body.data
  expect(whole.events).toHaveLength(1)
  for (const stream of streams) {
    expect(stream).toHaveLength(expectedEvents)
    expect(new Set(stream.map(({ cursor }) => cursor)).size).toBe(expectedEvents)
    expect(stream).toEqual(streams[0])
  }
  const changes = [...new Set(streams[0]?.map(({ data }) => data.change))]
  expect(changes.slice(2).sort()).toEqual(landed.sort())
  const { stateVersion } = (await brain.call('GET', '/records?limit=1')).body.data
  expect(stateVersion).toBe(landed.length + 2)
  const states = streams[0]?.flatMap(({ data }) => data.stateVersion ?? []) ?? []
  expect(states).toEqual([...states].sort((one, two) => one - two))
})
