import { array, assert, asyncProperty, constantFrom, integer, record } from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  addBrain,
  createMember,
  type Requester,
  startTestApp,
  type TestApp,
  type TestBrain,
} from '../../../test/app.ts'
import { exportText, importedBrain } from '../../../test/transfer.ts'
import { useSource } from '../../writing/snapshots/test-source.fixture.ts'
import { untilIndexed } from '../lexical-index/indexed.fixture.ts'

// After any action on a Brain, a search shows exactly the live items: right after the write, after indexing, on another
// node, in every mode, and as of earlier states.

let app: TestApp
let other: Awaited<ReturnType<TestApp['startNode']>>
let member: Awaited<ReturnType<typeof createMember>>
beforeAll(async () => {
  app = await startTestApp({ NOEMA_EMBEDDINGS: 'on', NOEMA_SEARCH_MEMORY: '1' })
  other = await app.startNode()
  member = await createMember(app)
})
afterAll(async () => {
  await other.close()
  await app.close()
})

/** The live items, by the lists of the API, each as "type id version". */
const liveIn = async (brain: TestBrain, asOf = ''): Promise<string[]> => {
  const list = async (name: string) => (await brain.call('GET', `/${name}?limit=500${asOf}`)).body.data[name]
  const [records, statements, documents] = await Promise.all(['records', 'statements', 'documents'].map(list))
  const named = (type: string) => (thing: { id: string; version?: number }) =>
    `${type} ${thing.id} ${thing.version ?? 1}`
  const all = [
    ...records.map(named('record')),
    ...statements.map(named('statement')),
    ...documents.map(named('document')),
  ]
  return all.sort()
}

type Found = { type: string; id: string; version: number }

/** The result of a search for a word that all items contain. */
const foundIn = async (request: Requester, brain: TestBrain, mode: string, asOf = ''): Promise<string[]> => {
  const answer = await request('GET', `${brain.path}/search?q=common+thing&limit=100&mode=${mode}${asOf}`, brain)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body.data.results.map(({ type, id, version }: Found) => `${type} ${id} ${version}`).sort()
}

const check = async (brain: TestBrain): Promise<void> => {
  const live = await liveIn(brain)
  for (const { request } of [app, other]) {
    // A search by words misses nothing; a search by meaning finds the embedded items.
    expect(await foundIn(request, brain, 'lexical')).toEqual(live)
    expect(await foundIn(request, brain, 'hybrid')).toEqual(live)
    expect(live).toEqual(expect.arrayContaining(await foundIn(request, brain, 'semantic')))
  }
}

const which = integer({ min: 0, max: 3 })
const action = record({
  do: constantFrom(
    ...(['put', 'put', 'patch', 'delete', 'assert', 'retract', 'serve', 'serve', 'retire'] as const),
    ...(['review', 'direct', 'approve', 'reject', 'revert', 'sync', 'index', 'index'] as const),
  ),
  which,
})
type Action = typeof action extends { generate: unknown } ? ReturnType<(typeof action)['generate']>['value'] : never

let made = 0

/** A new Brain, and the actions on it. */
const startRun = async () => {
  const brain = await addBrain(app, member, `run-${++made}`)
  await addBrain(app, member, `run-${made}-other`).then((neighbour) =>
    neighbour.call('POST', '/documents', { id: 'd0', text: 'A common thing of another Brain' }),
  )
  const changes: string[] = []
  const statements: string[] = []
  const write = async (method: string, path: string, body?: unknown) => {
    const { data } = (await brain.call(method, path, body)).body
    if (data?.change) changes.push(data.change.id)
    return data
  }
  const text = () => `A common thing, number ${++made}`
  const staged = async () =>
    (await brain.call('GET', '/changes?decision=pending')).body.data.changes.map(({ id }: { id: string }) => id)
  const decide = async (decision: string, at: number) => {
    const pending = await staged()
    if (pending.length > 0) await brain.call('POST', `/changes/${pending[at % pending.length]}/decide`, { decision })
  }
  const acts: Record<Action['do'], (at: number) => Promise<unknown>> = {
    put: (at) => write('PUT', `/records/r${at}`, { kind: 'thing', fields: { note: text() } }),
    patch: (at) => write('PATCH', `/records/r${at}`, { fields: { more: text() } }),
    delete: (at) => write('DELETE', `/records/r${at}`),
    assert: async (at) => {
      const subject = { id: `r${at}`, kind: 'thing' }
      const data = await write('POST', '/statements', { subject, predicate: 'is', object: { value: text() } })
      if (data?.statement) statements.push(data.statement.id)
    },
    retract: (at) => write('DELETE', `/statements/${statements[at % (statements.length || 1)]}`),
    serve: (at) => write('POST', '/documents', { id: `d${at}`, text: text(), sequence: { id: 'talk', position: at } }),
    retire: (at) => write('DELETE', `/documents/d${at}`),
    review: () => brain.call('PATCH', '', { mode: 'review' }),
    direct: () => brain.call('PATCH', '', { mode: 'direct' }),
    approve: (at) => decide('approved', at),
    reject: (at) => decide('rejected', at),
    revert: (at) => write('POST', `/changes/${changes[at % (changes.length || 1)]}/revert`, { reason: 'wrong' }),
    sync: (at) => useSource(brain).sync(Array.from({ length: at }, (_, item) => ({ id: `s${item}`, text: text() }))),
    index: () => untilIndexed(app, brain),
  }
  return { brain, act: (one: Action) => acts[one.do](one.which) }
}

test('QRY-01 only live items are ever found, after any writes, in any mode, on any node', async () => {
  await assert(
    asyncProperty(array(action, { minLength: 5, maxLength: 14 }), async (actions) => {
      const { brain, act } = await startRun()
      const seen = new Map<number, string[]>()
      for (const one of actions) {
        await act(one)
        await check(brain)
        seen.set((await brain.call('GET', '')).body.data.brain.stateVersion, await liveIn(brain))
      }
      await untilIndexed(app, brain)
      await check(brain)
      for (const [state, live] of seen)
        expect(await foundIn(other.request, brain, 'lexical', `&asOf=${state}`), `as of ${state}`).toEqual(live)
    }),
    { numRuns: 4 },
  )
}, 240_000)

test('QRY-01 a Brain that was deleted and made again shows nothing of the former one', async () => {
  const brain = await addBrain(app, member, 'again')
  await brain.call('POST', '/documents', { id: 'old', text: 'A common thing' })
  expect(await foundIn(app.request, brain, 'hybrid')).toEqual(['document old 1'])
  await untilIndexed(app, brain)
  await app.request('DELETE', brain.path, brain)
  expect((await app.request('GET', `${brain.path}/search?q=common`, brain)).status).toBe(404)
  const next = await addBrain(app, member, 'again')
  for (const mode of ['lexical', 'semantic', 'hybrid']) expect(await foundIn(app.request, next, mode)).toEqual([])
  await next.call('POST', '/documents', { id: 'new', text: 'A common thing' })
  for (const { request } of [app, other]) expect(await foundIn(request, next, 'lexical')).toEqual(['document new 1'])
})

test('QRY-01 imported items are found', async () => {
  const brain = await addBrain(app, member, 'exported')
  await brain.call('POST', '/documents', { id: 'kept', text: 'A common thing' })
  await brain.call('POST', '/documents', { id: 'gone', text: 'A common thing, too' })
  await brain.call('DELETE', '/documents/gone')
  const { brain: copy } = await importedBrain(app, brain, 'imported', await exportText(app, brain))
  for (const { request } of [app, other]) expect(await foundIn(request, copy, 'lexical')).toEqual(['document kept 1'])
  await untilIndexed(app, copy)
  for (const { request } of [app, other]) expect(await foundIn(request, copy, 'lexical')).toEqual(['document kept 1'])
})

test('QRY-01 live items are found, however many better matches have ended a moment ago', async () => {
  const brain = await addBrain(app, member, 'ended')
  const better = Array.from({ length: 250 }, (_, at) => ({ id: `better-${at}`, text: `A common thing, number ${at}` }))
  const text = 'A common thing, in a longer text that says much else and so is less like what is asked.'
  const operations = [...better, { id: 'worse', text }].map((document) => ({ op: 'document.put', ...document }))
  await brain.call('POST', '/batch', { operations })
  await untilIndexed(app, brain)
  await brain.call('POST', '/batch', { operations: better.map(({ id }) => ({ op: 'document.retire', id })) })
  for (const { request } of [app, other])
    for (const mode of ['lexical', 'hybrid']) expect(await foundIn(request, brain, mode)).toEqual(['document worse 1'])
})

test('QRY-01 a long document that matches everywhere leaves room for others', async () => {
  const brain = await addBrain(app, member, 'crowd')
  const paragraph = `${'A common thing. '.repeat(50)}\n\n`
  await brain.call('POST', '/documents', { id: 'long', text: paragraph.repeat(250) })
  await brain.call('POST', '/documents', { id: 'short', text: 'Much else, and then a common thing at the very end.' })
  await untilIndexed(app, brain)
  expect(await foundIn(app.request, brain, 'lexical')).toEqual(['document long 1', 'document short 1'])
})
