import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMember, startTestApp, type TestApp } from '../../test/app.ts'
import { applyAll, emptyState, type ModelEvent, type ModelOperation, Refused, type State } from './model.fixture.ts'

let app: TestApp
let key: string
beforeAll(async () => {
  app = await startTestApp()
  key = (await createMember(app)).key
})
afterAll(() => app.close())

// Few ids, kinds and slugs, so that operations meet each other often.
const id = fc.constantFrom('a', 'b', 'c')
const kind = fc.constantFrom('x', 'y')
const slug = fc.constantFrom('s', 't')
const ifMatch = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined, freq: 6 })
const value = fc.constantFrom<(string | number)[]>('v', 1)
const fields = fc.dictionary(fc.constantFrom('f', 'g'), value, { maxKeys: 2 })
const patch = fc.dictionary(fc.constantFrom('f', 'g'), fc.option(value), { maxKeys: 2 })
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined })
const text = fc.constantFrom('one', 'two')
const statementId = fc.constantFrom('m', 'n', 'o')

const operation = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ op: fc.constant('record.put' as const), id, kind, slug: maybe(slug), fields, ifMatch }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('record.patch' as const),
      id,
      kind: maybe(kind),
      slug: fc.constantFrom('s', 't', null, undefined),
      fields: patch,
      ifMatch,
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('record.delete' as const), id, ifMatch }) },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('statement.assert' as const),
      id: statementId,
      subject: fc.record({ id, kind }),
      predicate: fc.constant('p' as const),
      object: fc.record({ value }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('statement.retract' as const), id: statementId }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('document.put' as const), id: maybe(id), text, ifMatch }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('document.retire' as const), id, ifMatch }) },
) as fc.Arbitrary<ModelOperation>

/** One operation by its own endpoint, or several as a batch. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(operation) },
  { weight: 2, arbitrary: fc.array(operation, { minLength: 1, maxLength: 5 }) },
) as fc.Arbitrary<ModelOperation[]>

const methods = {
  put: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  assert: 'POST',
  retract: 'DELETE',
  retire: 'DELETE',
} as const

const send = (path: string, operations: readonly ModelOperation[]) => {
  const [only] = operations
  if (operations.length > 1 || !only) return app.request('POST', `${path}/batch`, { key, body: { operations } })
  const { op, ifMatch: version, ...rest } = { ifMatch: undefined, ...only }
  const [sort, verb] = op.split('.') as ['record' | 'statement' | 'document', keyof typeof methods]
  const headers = version === undefined ? {} : { 'if-match': `"${version}"` }
  if (op === 'document.put' || op === 'statement.assert')
    return app.request('POST', `${path}/${sort}s`, { key, headers, body: rest })
  const { id: named, ...content } = rest
  const body = methods[verb] === 'DELETE' ? {} : { body: content }
  return app.request(methods[verb], `${path}/${sort}s/${named}`, { key, headers, ...body })
}

const byId = (one: { id: string }, two: { id: string }) => (one.id < two.id ? -1 : 1)
const bare = (state: State) => ({
  records: Object.values(state.records).sort(byId),
  live: Object.values(state.statements)
    .filter(({ retracted }) => !retracted)
    .map((statement) => statement.id)
    .sort(),
  retracted: Object.values(state.statements)
    .filter(({ retracted }) => retracted)
    .map((statement) => statement.id)
    .sort(),
  documents: Object.values(state.documents)
    .map(({ id: named, version }) => ({ id: named, version }))
    .sort(byId),
})

/** Reads the Brain, now or as of a state, in the shape of the model. */
const readState = async (path: string, asOf?: number) => {
  const list = async (below: string) => {
    const { status, body } = await app.request('GET', `${path}${below}${asOf === undefined ? '' : `asOf=${asOf}`}`, {
      key,
    })
    expect(status).toBe(200)
    return body.data
  }
  const idsOf = (statements: { id: string }[]) => statements.map(({ id: named }) => named)
  return {
    records: (await list('/records?')).records.map(
      ({ id: named, kind: of, slug: held, fields: held2, version }: Record<string, unknown>) => ({
        id: named,
        kind: of,
        slug: held,
        fields: held2,
        version,
      }),
    ),
    live: idsOf((await list('/statements?')).statements),
    retracted: idsOf((await list('/statements?retracted=true&')).statements),
    documents: (await list('/documents?')).documents.map(({ id: named, version }: { id: string; version: number }) => ({
      id: named,
      version,
    })),
  }
}

type Told = { type: string; data: Record<string, unknown> & { stateVersion?: number } }
const modelEventOf = ({ type, data }: Told): ModelEvent => {
  const { id: named } = (data.record ?? data.statement ?? data.document) as { id: string }
  const {
    operation: done,
    retypedFrom,
    version,
  } = data as { operation?: string; retypedFrom?: string; version?: number }
  return {
    type,
    id: named,
    ...(done ? { operation: done } : {}),
    ...(retypedFrom ? { retypedFrom } : {}),
    ...(version ? { version } : {}),
  }
}

const readStream = async (path: string): Promise<Told[]> => {
  const told: Told[] = []
  for (let after = ''; ; ) {
    const { body } = await app.request('GET', `${path}/events?limit=7${after}`, { key })
    told.push(...body.data.events)
    if (!body.data.hasMore) return told
    after = `&after=${body.data.cursor}`
  }
}

/** Statements that one deletion retracts come in no promised order, so neighbours of one sort are sorted. */
const settled = (events: ModelEvent[]) => {
  const sorted = [...events]
  for (let end = 1; end < sorted.length; end++)
    for (let at = end; at > 0; at--) {
      const [one, two] = [sorted[at - 1], sorted[at]]
      if (!one || !two || one.type !== 'statement.retracted' || two.type !== one.type || one.id <= two.id) break
      sorted[at - 1] = two
      sorted[at] = one
    }
  return sorted
}

let run = 0
test('KNO-01 KNO-03 KNO-04 KNO-06 D-07 EVT-03 any operations leave what a plain model says: reads, asOf, history and stream', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 25 }), async (steps) => {
      const path = `/v1/brains/model-${run++}`
      await app.request('PUT', path, { key, body: {} })
      const states = [emptyState()]
      const events: ModelEvent[] = []
      for (const operations of steps) {
        const before = states.at(-1) ?? emptyState()
        const answer = await send(path, operations)
        try {
          const { next, events: emitted } = applyAll(before, operations)
          expect(answer.status, JSON.stringify([operations, answer.body])).toBeLessThan(300)
          if (emitted.length > 0) states.push(next)
          if (emitted.length > 0) expect(answer.body.data.stateVersion).toBe(states.length - 1)
          events.push(...emitted)
        } catch (error) {
          if (!(error instanceof Refused)) throw error
          expect(answer.status, JSON.stringify([operations, answer.body])).toBe(error.status)
        }
      }
      for (const [asOf, state] of states.entries()) expect(await readState(path, asOf)).toEqual(bare(state))
      const last = states.at(-1) ?? emptyState()
      expect(await readState(path)).toEqual(bare(last))
      for (const { id: named, text: held } of Object.values(last.documents)) {
        const { body } = await app.request('GET', `${path}/documents/${named}`, { key })
        expect(body.data.document.text).toBe(held)
      }
      for (const [name, version] of Object.entries(last.newest)) {
        const [sort, named] = name.split(' ')
        const { body } = await app.request(
          'GET',
          `${path}/${sort}s/${named}/${sort === 'record' ? 'history' : 'versions'}`,
          { key },
        )
        expect(body.data.versions).toHaveLength(version)
      }
      const told = await readStream(path)
      expect(settled(told.map(modelEventOf))).toEqual(settled(events))
      const told2 = told.flatMap(({ data }) => data.stateVersion ?? [])
      expect(told2).toEqual([...told2].sort((one, two) => one - two))
    }),
    { numRuns: 25, endOnFailure: false },
  )
}, 120_000)
