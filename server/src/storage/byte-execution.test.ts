import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../shared/log.ts'
import { createTestDatabase } from '../test/database.ts'
import { openDatabase } from './database.ts'
import { defineStatement, type JoinedRows } from './statements.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let opened: ReturnType<typeof openDatabase>
beforeAll(async () => {
  database = await createTestDatabase()
  opened = openDatabase(database.url, createLog('silent'), 2)
})
afterAll(async () => {
  await opened.close()
  await database.drop()
})

/** Texts of so many characters, which take one to four bytes. */
type Made = { lengths: string; character: string }

const selectTexts = <Found extends object>({ lengths, character }: Made, name: string) =>
  sql<Found>`select repeat(${character}::text, length) as ${sql.ref(name)}
    from unnest(${lengths}::integer[]) with ordinality as made (length, place) order by place`

const joined = defineStatement<Made, JoinedRows>((made) => selectTexts(made, 'joined'), { joinedBy: ',\n' })
const apart = defineStatement<Made, { text: string }>((made) => selectTexts(made, 'text'))

const anyLength = fc.oneof(
  { weight: 6, arbitrary: fc.nat(400) },
  { weight: 2, arbitrary: fc.nat(20_000) },
  { weight: 1, arbitrary: fc.integer({ min: 60_000, max: 140_000 }) },
)
const anyTexts = fc.record({
  lengths: fc.array(anyLength, { maxLength: 300 }).map((lengths) => `{${lengths.join(',')}}`),
  character: fc.constantFrom('a', 'é', '✓', '🙂'),
})

test('EVT-03 rows that are joined are what the driver reads, whatever the pieces in which they arrive', async () => {
  await fc.assert(
    fc.asyncProperty(anyTexts, async (made) => {
      const texts = (await opened.prepared(apart(made))).map(({ text }) => text)
      const [rows] = await opened.prepared(joined(made))
      expect(rows?.count).toBe(texts.length)
      expect(rows?.text === texts.join(',\n')).toBe(true)
    }),
    { numRuns: 60 },
  )
})

test('an error of such a statement leaves its connection usable', async () => {
  const divide = defineStatement<{ by: number }, JoinedRows>(
    ({ by }) => sql`select (100 / (${by}::integer - place))::text from generate_series(1, 5) as place`,
    { joinedBy: ' ' },
  )
  await expect(opened.prepared(divide({ by: 3 }))).rejects.toThrow('division by zero')
  const [rows] = await opened.prepared(divide({ by: 6 }))
  expect(rows?.text).toBe('20 25 33 50 100')
})
