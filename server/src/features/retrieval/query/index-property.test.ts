import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { useMember, useOwnApp } from '../../../test/harness.ts'
import { evolve } from '../../knowledge/schema/schema-app.fixture.ts'
import { buildNextPiece } from '../../writing/schema-changes/build-indexes.ts'
import { findBrainId } from '../receipts/receipt.fixture.ts'

// Compares an index with the records themselves: after any declarations, retirements, writes and builds, in any order and
// at once, a query finds exactly the records that a scan finds, or says that the index is not ready.

const app = useOwnApp({ NOEMA_ROLES: 'http' })
const member = useMember(app)

const smallPieces = { records: 2, entries: 3 }

type Declaration = { type: 'integer' | 'string'; indexed: boolean; unique: boolean; many: boolean } | undefined
type Write =
  | { id: string; kind: 'k' | 'other'; value: number | string | (number | string)[] | undefined }
  | { gone: string }
type Step = { declare: Declaration } | { writes: Write[] } | { build: number; writes: Write[] }
type Where =
  | { eq: number | string }
  | { exists: boolean }
  | { gte: number | string }
  | { lt: number | string }
  | { in: (number | string)[] }

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const one = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom('0', '3', 'x', 'y'))
const write: fc.Arbitrary<Write> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      id,
      kind: fc.constantFrom('k' as const, 'k' as const, 'other' as const),
      value: fc.option(fc.oneof(one, fc.array(one, { maxLength: 3 })), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ gone: id }) },
)
const declaration: fc.Arbitrary<Declaration> = fc.option(
  fc.record({
    type: fc.constantFrom('integer' as const, 'string' as const),
    indexed: fc.constantFrom(true, true, false),
    unique: fc.constantFrom(false, false, true),
    many: fc.boolean(),
  }),
  { nil: undefined },
)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ declare: declaration }) },
  { weight: 3, arbitrary: fc.record({ writes: fc.array(write, { minLength: 1, maxLength: 4 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({ build: fc.integer({ min: 1, max: 6 }), writes: fc.array(write, { maxLength: 3 }) }),
  },
)

const send = (brain: TestBrain, one: Write) =>
  'gone' in one
    ? brain.call('DELETE', `/records/${one.gone}`)
    : brain.call('PUT', `/records/${one.id}`, {
        kind: one.kind,
        fields: one.value === undefined ? {} : { f: one.value },
      })

const declareField = async (brain: TestBrain, declared: Declaration, before: Declaration): Promise<Declaration> => {
  if (!declared && !before) return undefined
  const field = { name: 'f', ...declared }
  const operation = declared
    ? { op: before ? 'setField' : 'addField', kind: 'k', field }
    : { op: 'retireField', kind: 'k', name: 'f' }
  const answer = await evolve(brain, operation).catch(() => undefined)
  // It may leave the schema as it is, or be blocked by values that repeat.
  const isApplied = answer?.body.data?.change?.application === 'applied'
  return isApplied ? declared : before
}

/** The naive reading: values that are compared one by one, numbers with numbers and texts with texts. */
const isMatch = (where: Where, given: unknown): boolean => {
  const values: unknown[] = Array.isArray(given) ? given : given === undefined ? [] : [given]
  if ('exists' in where) return where.exists === values.length > 0
  return values.some((value) => {
    if ('eq' in where) return value === where.eq
    if ('in' in where) return where.in.some((expected) => value === expected)
    const bound = 'gte' in where ? where.gte : where.lt
    if (typeof value !== typeof bound) return false
    const isBelow = (value as string) < (bound as string)
    return 'lt' in where ? isBelow : !isBelow
  })
}

const toQuestions = (type: 'integer' | 'string'): Where[] =>
  type === 'integer'
    ? [{ eq: 3 }, { in: [0, 5] }, { gte: 2 }, { lt: 4 }, { exists: true }, { exists: false }]
    : [{ eq: '3' }, { in: ['0', 'y'] }, { gte: '3' }, { lt: 'x' }, { exists: true }, { exists: false }]

/** All records in pages of three; their count, which comes with the first page, is the same. */
const readAll = async (brain: TestBrain, where: Where): Promise<string[] | undefined> => {
  const ids: string[] = []
  let after: string | undefined
  let count: object | undefined
  for (;;) {
    const body = { kind: 'k', where: { f: where }, limit: 3, ...(after ? { after } : { count: true }) }
    const answer = await brain.call('POST', '/query', body)
    if (answer.status === 400 && answer.body.error.code === 'index_not_ready') return undefined
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    ids.push(...answer.body.data.records.map((record: { id: string }) => record.id))
    count ??= answer.body.data.count
    if (!answer.body.data.hasMore) {
      expect(count, JSON.stringify(where)).toEqual({ value: ids.length, exact: true })
      return ids
    }
    after = answer.body.data.cursor
  }
}

/** The groups by value, each with its count, of records as a list. */
const countByValue = (records: readonly { fields: { f?: unknown } }[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { f } of records.map(({ fields }) => fields)) {
    const values: unknown[] = Array.isArray(f) ? [...new Set(f)] : f === undefined ? [] : [f]
    for (const value of values.length === 0 ? [null] : values) {
      const key = JSON.stringify(value)
      counts[key] = (counts[key] ?? 0) + 1
    }
  }
  return counts
}

const compareGroups = async (brain: TestBrain, records: readonly { fields: { f?: unknown } }[]): Promise<void> => {
  const { status, body } = await brain.call('POST', '/query', { kind: 'k', aggregate: { by: 'f' } })
  if (status !== 200) return expect(body.error.code).toBe('index_not_ready')
  const { groups } = body.data.aggregate
  const counts = groups.map(({ key, count }: { key: unknown; count: number }) => [JSON.stringify(key), count])
  expect(Object.fromEntries(counts)).toEqual(countByValue(records))
}

/** Asks all questions once the index is built, and before that two of them in turn, as each step asks again. */
const compare = async (brain: TestBrain, declared: Declaration, turn: number | 'built'): Promise<void> => {
  const isWorked = turn === 'built'
  const { records } = (await brain.call('GET', '/records?kind=k&limit=500')).body.data
  if (isWorked || turn % 3 === 0) await compareGroups(brain, records)
  const questions = toQuestions(declared?.type ?? 'integer')
  for (const where of isWorked ? questions : questions.filter((_, at) => at % 3 === turn % 3)) {
    const found = await readAll(brain, where)
    if (!declared?.indexed) expect(found).toBeUndefined()
    else if (isWorked) expect(found, 'the index is built').toBeDefined()
    if (!found) continue
    const expected = records.filter(({ fields }: { fields: { f?: unknown } }) => isMatch(where, fields.f))
    expect(found.toSorted(), JSON.stringify(where)).toEqual(expected.map((record: { id: string }) => record.id))
  }
}

test('D-52 an index finds exactly what a scan of all records finds, also after writes during its build', async () => {
  let made = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      const brain = await addBrain(app, member, `indexed-${++made}`)
      const brainId = await findBrainId(app, brain)
      await evolve(brain, { op: 'addKind', kind: 'k' })
      const piece = () => buildNextPiece(app.app.deps, brainId, smallPieces)
      let declared: Declaration
      for (const [turn, one] of steps.entries()) {
        if ('declare' in one) declared = await declareField(brain, one.declare, declared)
        else if ('build' in one)
          await Promise.all([
            ...one.writes.map((write) => send(brain, write)),
            ...Array.from({ length: one.build }, piece),
          ])
        else await Promise.all(one.writes.map((write) => send(brain, write)))
        await compare(brain, declared, turn)
      }
      while (await piece());
      await compare(brain, declared, 'built')
    }),
    { numRuns: 25 },
  )
}, 300_000)
