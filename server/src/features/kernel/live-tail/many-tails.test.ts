import { type EventType, eventTypes } from '@noema/contracts/event-types.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { useApp, useMember } from '../../../test/harness.ts'
import { startPolling } from '../../../test/polls.ts'
import { type LiveTails, openLiveTails, type TailRequest } from './live-tail.ts'

const app = useApp()
const member = useMember(app)

const parse = (events: readonly string[]): { cursor: string; type: string }[] => events.map((text) => JSON.parse(text))

/** Live tails as a node opens them, whose statements are counted. */
const openCounted = () => {
  let statements = 0
  const { deps } = app.app
  const tails = openLiveTails({
    ...deps,
    prepared: (statement) => {
      statements++
      return deps.prepared(statement)
    },
  })
  return { tails, statements: () => statements }
}

let made = 0
/** A Brain, and a function that follows its stream without HTTP. */
const addFollowed = async () => {
  const of = await addBrain(app, member, `followed-${++made}`)
  const { rows } = await app.database.pool.query('select brain_id as id from brains where id = $1', [of.brain.id])
  const signal = new AbortController().signal
  const follow = (tails: LiveTails, request: Partial<TailRequest> = {}) =>
    tails.follow(rows[0].id, { after: 0, signal, isStillAllowed: async () => true, ...request })
  return { of, follow }
}

const writeRecords = (of: TestBrain, count: number) =>
  of.call('POST', '/batch', {
    operations: Array.from({ length: count }, () => ({ op: 'record.create', kind: 'k', fields: {} })),
  })

type Reader = ReturnType<LiveTails['follow']>

const read = async (reader: Reader): Promise<readonly string[]> => (await reader.next()).value ?? []

test('D-54 without new events tails cost no statement each, and new ones are read once and shared as one list', async () => {
  const { of, follow } = await addFollowed()
  const { tails, statements } = openCounted()
  const { countPolls } = startPolling()
  const readers = Array.from({ length: 200 }, () => follow(tails))
  expect(await Promise.all(readers.map(read))).toEqual(Array(200).fill([]))
  // One poll a second for all followed Brains, until the tails are at the head, and the read of the first.
  expect(statements()).toBeLessThanOrEqual(1 + countPolls())
  const [before, since] = [statements(), startPolling()]
  const next = readers.map(read)
  await writeRecords(of, 1)
  const lists = await Promise.all(next)
  expect(new Set(lists).size).toBe(1)
  expect(parse(lists[0] ?? [])).toMatchObject([{ type: 'record.accepted' }])
  expect(statements() - before).toBeLessThanOrEqual(1 + since.countPolls())
  tails.close()
})

test('D-54 a reader that takes nothing for a while finds all that it missed, and nothing is kept for it meanwhile', async () => {
  const { of, follow } = await addFollowed()
  const { tails } = openCounted()
  const [slow, quick] = [follow(tails), follow(tails)]
  const all: unknown[] = []
  for (let round = 0; round < 2; round++) {
    const expected = (round + 1) * 700
    await writeRecords(of, 700)
    if (round === 0) await slow.next()
    // Until the quick one is at the head: its events are no longer kept.
    for (let events = await read(quick); events.length > 0; events = await read(quick)) all.push(...events)
    expect(all).toHaveLength(expected)
  }
  const missed: unknown[] = []
  while (missed.length < 900) missed.push(...(await read(slow)))
  expect(missed).toEqual(all.slice(500))
  tails.close()
})

const types = fc.option(fc.uniqueArray(fc.constantFrom(...eventTypes.slice(0, 4)), { minLength: 1, maxLength: 3 }), {
  nil: undefined,
})
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('write' as const), count: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('open' as const), behind: fc.nat(30), types }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('read' as const), which: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave' as const), which: fc.nat(9) }) },
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never
type Opened = { reader: Reader; after: number; types: EventType[] | undefined; got: string[] }

/** Reads of a tail until it has so many events. */
const readUntil = async (one: Opened, count: number): Promise<void> => {
  while (one.got.length < count) one.got.push(...(await read(one.reader)))
}

const runSteps = async (steps: readonly Step[]): Promise<void> => {
  const { of, follow } = await addFollowed()
  const nodes = [openCounted().tails, openCounted().tails]
  const written: string[] = []
  const opened: Opened[] = []
  const listExpected = ({ after, types: expected }: Opened) =>
    written.slice(after).filter((event) => expected === undefined || expected.includes(JSON.parse(event).type))
  const recordWritten = async () => {
    const after = written.length === 0 ? '' : `&after=${JSON.parse(written.at(-1) ?? '').cursor}`
    const page = await of.call('GET', `/events?limit=500${after}`)
    written.push(...page.body.data.events.map((event: unknown) => JSON.stringify(event)))
  }
  for (const one of steps) {
    const tail = 'which' in one ? opened[one.which % opened.length] : undefined
    if (one.do === 'write') await writeRecords(of, one.count)
    if (one.do === 'delete') {
      await of.call('PUT', '/records/gone', { kind: 'k' })
      await of.call('DELETE', '/records/gone')
    }
    if (one.do === 'open') {
      const after = Math.max(0, written.length - one.behind)
      const node = nodes[opened.length % 2] ?? nodes[0]
      if (node)
        opened.push({
          reader: follow(node, { after, types: one.types }),
          after,
          types: one.types as EventType[],
          got: [],
        })
    }
    if (one.do === 'write' || one.do === 'delete') await recordWritten()
    if (one.do === 'read' && tail && listExpected(tail).length > tail.got.length)
      await readUntil(tail, tail.got.length + 1)
    if (one.do === 'leave' && tail) {
      await tail.reader.return(undefined)
      opened.splice(opened.indexOf(tail), 1)
    }
  }
  for (const one of opened) {
    await readUntil(one, listExpected(one).length)
    expect(one.got).toEqual(listExpected(one))
    await one.reader.return(undefined)
  }
  for (const node of nodes) node.close()
}

test('D-54 EVT-03 every tail gets exactly the events of its types after its place, in order, however others come, read and go', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), runSteps), { numRuns: 8 })
})
