import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { createMember } from '../../../test/app.ts'
import { useApp } from '../../../test/harness.ts'
import {
  applyAll,
  emptyState,
  type ModelDocument,
  type ModelEvent,
  type ModelOperation,
  type ModelRecord,
  type ModelStatement,
  Refused,
  type State,
} from './model.fixture.ts'

const app = useApp()
let key: string
beforeAll(async () => {
  key = (await createMember(app)).key
})

// Few ids, kinds and slugs, so that operations meet each other often.
const id = fc.constantFrom('a', 'b', 'c')
const kind = fc.constantFrom('x', 'x', 'x', 'y')
const slug = fc.constantFrom('s', 't', 'u')
const absent = fc.constant(undefined)
const ifMatch = fc.oneof({ weight: 9, arbitrary: absent }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }) })
const value = fc.constantFrom<(string | number)[]>('v', 1)
const fields = fc.dictionary(fc.constantFrom('f', 'g'), value, { maxKeys: 2, noNullPrototype: true })
const patch = fc.dictionary(fc.constantFrom('f', 'g'), fc.option(value), { maxKeys: 2, noNullPrototype: true })
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 3, arbitrary: absent }, { weight: 2, arbitrary })
const text = fc.constantFrom('one', 'two')
const statementId = fc.constantFrom('m', 'n', 'o', 'p', 'q')

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
      confidence: fc.constantFrom(undefined, 0.5, 1, null),
      validTo: fc.constantFrom(undefined, undefined, '2030-01-01T00:00:00.000Z', null),
      sources: fc.constantFrom(undefined, undefined, [{ document: 'a' }], []),
    }),
  },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('statement.retract' as const), id: statementId }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('document.put' as const), id: maybe(id), text, ifMatch }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('document.retire' as const), id, ifMatch }) },
) as fc.Arbitrary<ModelOperation>

/** One operation by its own endpoint, or several as a batch. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(operation) },
  { weight: 2, arbitrary: fc.array(operation, { minLength: 1, maxLength: 3 }) },
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
const bareStatement = ({ id: named, version, confidence, validTo, sources }: ModelStatement) => ({
  ...{ id: named, version, confidence, validTo, sources },
})
const bare = (state: State) => ({
  records: Object.values(state.records).sort(byId),
  live: Object.values(state.statements)
    .filter(({ retracted }) => !retracted)
    .map(bareStatement)
    .sort(byId),
  retracted: Object.values(state.statements)
    .filter(({ retracted }) => retracted)
    .map(bareStatement)
    .sort(byId),
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
  const [records, live, retracted, documents] = await Promise.all(
    ['/records?', '/statements?', '/statements?retracted=true&', '/documents?'].map(list),
  )
  return {
    records: records.records.map((record: ModelRecord) => ({
      id: record.id,
      kind: record.kind,
      slug: record.slug,
      fields: record.fields,
      version: record.version,
    })),
    live: live.statements.map(bareStatement),
    retracted: retracted.statements.map(bareStatement),
    documents: documents.documents.map((document: ModelDocument) => ({ id: document.id, version: document.version })),
  }
}

type Reported = { type: string; data: Record<string, unknown> & { stateVersion?: number } }
const toModelEvent = ({ type, data }: Reported): ModelEvent => {
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

const readStream = async (path: string): Promise<Reported[]> => {
  const reported: Reported[] = []
  for (let after = ''; ; ) {
    const { body } = await app.request('GET', `${path}/events?limit=7${after}`, { key })
    reported.push(...body.data.events)
    if (!body.data.hasMore) return reported
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

/** The start of every sequence, so that there is something to change, to state and to retire. */
const beginning: ModelOperation[] = [
  { op: 'record.put', id: 'a', kind: 'x', slug: 's', fields: { f: 1 } },
  { op: 'record.put', id: 'b', kind: 'x', fields: {} },
  { op: 'statement.assert', id: 'm', subject: { id: 'a', kind: 'x' }, predicate: 'p', object: { value: 1 } },
  { op: 'document.put', id: 'a', text: 'one' },
  { op: 'document.put', id: 'b', text: 'one' },
]

let run = 0
const emittedBy: Record<string, number> = {}
test('KNO-01 KNO-03 KNO-04 KNO-06 D-07 EVT-03 any operations leave what a plain model says: reads, asOf, history and stream', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 30 }), async (steps) => {
      const path = `/v1/brains/model-${run++}`
      await app.request('PUT', path, { key, body: {} })
      const states = [emptyState()]
      const events: ModelEvent[] = []
      for (const operations of [beginning, ...steps]) {
        const before = states.at(-1) ?? emptyState()
        const answer = await send(path, operations)
        try {
          const { next, events: emitted } = applyAll(before, operations)
          expect(answer.status, JSON.stringify([operations, answer.body])).toBeLessThan(300)
          if (emitted.length > 0) states.push(next)
          if (emitted.length > 0) expect(answer.body.data.stateVersion).toBe(states.length - 1)
          events.push(...emitted)
          for (const { type } of emitted) emittedBy[type] = (emittedBy[type] ?? 0) + 1
        } catch (error) {
          if (!(error instanceof Refused)) throw error
          expect(answer.status, JSON.stringify([operations, answer.body])).toBe(error.status)
        }
      }
      const remembered = await Promise.all(states.map((_, asOf) => readState(path, asOf)))
      expect(remembered).toEqual(states.map(bare))
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
      const reported = await readStream(path)
      expect(settled(reported.map(toModelEvent))).toEqual(settled(events))
      const reportedStates = reported.flatMap(({ data }) => data.stateVersion ?? [])
      expect(reportedStates).toEqual([...reportedStates].sort((one, two) => one - two))
    }),
    { numRuns: 20 },
  )
  // A sequence in which nearly everything is refused proves nothing.
  expect(Object.keys(emittedBy)).toHaveLength(6)
  expect(Math.min(...Object.values(emittedBy))).toBeGreaterThan(10)
})
