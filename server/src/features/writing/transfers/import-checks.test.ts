import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { createRichBrain } from '../../../test/rich-brain.ts'
import { exportText, importText, withLines } from '../../../test/transfer.ts'

const app = useOwnApp()
let rich: TestBrain
let target: TestBrain
let full: string
let made = 0
beforeAll(async () => {
  rich = await createRichBrain(app, 'rich')
  target = await addBrain(app, rich, 'target')
  full = await exportText(app, rich)
})

type Line = Record<string, Record<string, unknown>>

const long = (length: number) => 'x'.repeat(length)
const wrongIds = ['', long(201), long(3_000), '$ref:a', 7, null]
const wrongKinds = ['', '__proto__', long(129), '9lives', 'a b', 'a\nb', null]
const wrongStates = [-1, 0.5, 1_000_000_000_000_001, Number.MAX_SAFE_INTEGER - 1, '1', null]
const wrongVersions = [0, -1, 1.5, 2_000_000_001, 2_147_483_647, 2_147_483_648, '1', null]

/** Values that no other door takes, by the line and the name that has them. */
const wrong: Record<string, Record<string, readonly unknown[]>> = {
  header: { stateVersion: wrongStates, schemaVersion: [-1, 2_000_000_001, null] },
  change: { id: ['', long(101), null], baseState: wrongStates, corrects: [long(101)], reason: [long(10_001)] },
  record: {
    id: wrongIds,
    kind: wrongKinds,
    slug: ['', 'Upper', 'a b', 'a\n', long(129)],
    version: wrongVersions,
    stateVersion: wrongStates,
    fields: [[], 'text', { '': 1 }, { [long(129)]: 1 }],
    links: [[{ predicate: '', to: 'a' }], [{ predicate: 'a', to: long(201) }]],
  },
  statement: { id: wrongIds, predicate: ['', long(129)], confidence: [-1, 2], stateVersion: wrongStates },
  document: { id: wrongIds, version: wrongVersions, title: [long(1_001)], contentType: ['', long(201)] },
  date: { record: ['', long(201)], field: ['', long(129)], offset: ['1 day', ''] },
}

const cases = Object.entries(wrong).flatMap(([type, names]) =>
  Object.entries(names).flatMap(([name, values]) => values.map((value) => ({ type, name, value }))),
)

/** The file with a value put into one line, and the number of that line. */
const withValue = ({ type, name, value }: (typeof cases)[number], place: number) => {
  const lines = full.trimEnd().split('\n')
  const numbers = lines.flatMap((line, index) => (line.startsWith(`{"${type}":`) ? [index] : []))
  const index = numbers[place % numbers.length] ?? 0
  const changed = (line: string) => {
    const parsed: Line = JSON.parse(line)
    return JSON.stringify({ ...parsed, [type]: { ...parsed[type], [name]: value } })
  }
  return {
    line: index + 1,
    text: withLines(full, (given) => given.map((line, at) => (at === index ? changed(line) : line))),
  }
}

const countRows = async (): Promise<number> => {
  const { rows } = await app.database.pool.query(
    `select count(*)::integer as count from brains
     join lateral (select brain_id from record_versions union all select brain_id from changes) as thing using (brain_id)
     where brains.id = $1`,
    [target.brain.id],
  )
  return rows[0].count
}

test('D-25 an import refuses everything that other endpoints refuse, with its line and path, and applies nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...cases), fc.nat(1_000), async (one, place) => {
      const { line, text } = withValue(one, place)
      const { status, body } = await importText(app, target, text)
      expect({ one, status, message: body.error?.message }).toEqual({
        one,
        status: 400,
        message: expect.stringMatching(new RegExp(`^Line ${line}: `)),
      })
      expect(body.error.details).toMatchObject([{ line }])
      expect((await target.call('GET', '')).body.data.brain.stateVersion).toBe(0)
    }),
    { numRuns: 40 },
  )
  expect(await countRows()).toBe(0)
})

const id = fc
  .string({ minLength: 1, maxLength: 60, unit: 'grapheme' })
  .filter((text) => !/\0|^\$ref:|[\ud800-\udfff](?![\udc00-\udfff])/u.test(text))
const kind = fc.stringMatching(/^[A-Za-z][A-Za-z0-9._-]{0,40}$/)
const slug = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,40}$/)

const records = fc.uniqueArray(
  fc.record({ id, kind, slug, fields: fc.dictionary(id, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }) }),
  {
    maxLength: 6,
    selector: ({ id: given }) => given,
  },
)

test('D-25 everything that can be written can be exported, and every export can be imported', async () => {
  await fc.assert(
    fc.asyncProperty(records, fc.boolean(), async (given, history) => {
      const from = await addBrain(app, rich, `from-${++made}`)
      const operations = given.map((record) => ({ op: 'record.put', ...record }))
      if (operations.length > 0) await from.call('POST', '/batch', { operations })
      for (const record of given.slice(0, 2)) {
        await from.call('PUT', `/records/${encodeURIComponent(record.id)}`, { kind: record.kind })
        await from.call('POST', '/documents', { id: record.id, text: record.kind, title: record.slug })
        const subject = { id: record.id, kind: record.kind }
        await from.call('POST', '/statements', { subject, predicate: record.slug, object: { value: 1 } })
      }
      const text = await exportText(app, from, { history })
      const to = await addBrain(app, rich, `to-${made}`)
      expect((await importText(app, to, text)).body).toMatchObject({ data: { imported: expect.anything() } })
      expect(await exportText(app, to, { history })).toBe(text)
    }),
    { numRuns: 25 },
  )
})

test('D-25 a Brain that was imported at the largest versions that a file may have goes on to be written', async () => {
  const text = withLines(full, (lines) =>
    lines.map((line) =>
      line.includes('"header":') ? line.replace(/"stateVersion":\d+/, '"stateVersion":1000000000000000') : line,
    ),
  )
  const largest = await addBrain(app, rich, 'largest')
  expect((await importText(app, largest, text)).status).toBe(200)
  await largest.call('PATCH', '', { mode: 'direct' })
  const { body } = await largest.call('POST', '/records', { kind: 'note' })
  expect(body.data.record.stateVersion).toBe(1_000_000_000_000_001)
})
