import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { systemTiming } from '@noema/sdk/timing.ts'
import { addBrain, type TestBrain } from '@noema/server/test/app.ts'
import { useApp, useMember } from '@noema/server/test/harness.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

// Files of records by the command line, against the service itself.

const app = useApp()
const member = useMember(app)
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'noema-import-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const importFile = (brain: TestBrain, file: string, argv: string[] = [], url = app.base) =>
  runCli(['records', 'import', file, '--kind', 'order', ...argv], url, {
    env: { NOEMA_BASE_URL: url, NOEMA_API_KEY: member.key, NOEMA_BRAIN: brain.brain.handle },
    cwd: folder,
    timing: systemTiming,
  })

const write = (file: string, text: string): void => writeFileSync(join(folder, file), text)
const countRecords = async (brain: TestBrain): Promise<number> =>
  (await brain.call('POST', '/query', { kind: 'order', count: true, limit: 1 })).body.data.count.value
const readState = async (brain: TestBrain): Promise<number> =>
  (await brain.call('GET', '')).body.data.brain.stateVersion

const toLines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `${JSON.stringify({ id: `ORD-${index}`, amount: index })}\n`).join('')

test('D-34b a CSV file becomes records with typed fields, and importing it again changes nothing', async () => {
  const brain = await addBrain(app, member, 'csv')
  write('orders.csv', 'id,zip,amount,paid,note\nORD-1,007,12.5,true,\nORD-2,75001,3,false,"a, ""b"""\n')
  const first = await importFile(brain, 'orders.csv', ['--slug', 'id'])
  expect(first).toEqual({ code: 0, stdout: '2 rows: 2 written, 0 unchanged, 0 rejected\n', stderr: '' })
  expect((await brain.call('GET', '/records/order:ORD-1')).body.data.record).toMatchObject({
    slug: 'ord-1',
    fields: { id: 'ORD-1', zip: '007', amount: 12.5, paid: true },
  })
  const state = await readState(brain)
  expect((await importFile(brain, 'orders.csv', ['--slug', 'id'])).code).toBe(0)
  expect(await readState(brain)).toBe(state)
  write('orders.csv', 'id,zip,amount,paid,note\nORD-1,007,13,true,\nORD-2,75001,3,false,"a, ""b"""\n')
  const changed = await importFile(brain, 'orders.csv', ['--slug', 'id', '--json'])
  expect(JSON.parse(changed.stdout)).toEqual({ rows: 2, written: 1, unchanged: 1, staged: 0, rejected: 0 })
  expect(existsSync(join(folder, 'orders.csv.import.json'))).toBe(false)
})

test('D-34b importing a file again writes the rows whose records were changed or retired meanwhile, and counts them', async () => {
  const brain = await addBrain(app, member, 'again')
  write('again.jsonl', toLines(3))
  await importFile(brain, 'again.jsonl', ['--slug', 'id'])
  await brain.call('DELETE', '/records/order:ORD-1')
  await brain.call('PATCH', '/records/order:ORD-2', { fields: { amount: 9 } })
  const again = await importFile(brain, 'again.jsonl', ['--slug', 'id'])
  expect(again).toMatchObject({ code: 0, stdout: '3 rows: 2 written, 1 unchanged, 0 rejected\n' })
  const { records } = (await brain.call('GET', '/records?kind=order')).body.data
  expect(records.map(({ fields }: { fields: { amount: number } }) => fields.amount)).toEqual([0, 1, 2])
})

test('D-34b rejected rows are reported with line and reason, and all others are written', async () => {
  const brain = await addBrain(app, member, 'rejects')
  await brain.call('PUT', '/records/other', { kind: 'order', slug: 'taken' })
  write(
    'mixed.jsonl',
    [
      '{"id": "a"}',
      'oops',
      '{"id": "taken"}',
      '{"name": "no id"}',
      '{"id": "b", "big": 12345678901234567890}',
      '{"id": "c"}',
    ].join('\n'),
  )
  const { code, stdout, stderr } = await importFile(brain, 'mixed.jsonl', ['--slug', 'id'])
  expect({ code, stdout }).toEqual({ code: 6, stdout: '6 rows: 2 written, 0 unchanged, 4 rejected\n' })
  expect(stderr).toContain('mixed.rejected.jsonl')
  const rejected = readFileSync(join(folder, 'mixed.rejected.jsonl'), 'utf8').trim().split('\n')
  expect(rejected.map((line) => JSON.parse(line))).toMatchObject([
    { line: 2, reason: 'The line is not JSON.', row: 'oops' },
    { line: 3, reason: expect.stringContaining('slug') },
    { line: 4, reason: 'The row has no id.' },
    { line: 5, reason: expect.stringContaining('digits') },
  ])
  expect(await countRecords(brain)).toBe(3)
})

test('D-34b an import that is interrupted is resumed behind its last batch, and writes each row once', async () => {
  const brain = await addBrain(app, member, 'resumed')
  write('many.jsonl', toLines(1_200))
  const controller = new AbortController()
  const interrupted = await runCli(['records', 'import', 'many.jsonl', '--kind', 'order', '--slug', 'id'], app.base, {
    env: { NOEMA_BASE_URL: app.base, NOEMA_API_KEY: member.key, NOEMA_BRAIN: brain.brain.handle },
    cwd: folder,
    timing: systemTiming,
    signal: controller.signal,
    // Ctrl-C once the first batch is reported.
    stderr: Object.assign(
      new Writable({
        write: (_chunk, _encoding, done) => {
          controller.abort()
          done()
        },
      }),
      { isTTY: true },
    ),
  })
  expect(interrupted.code).toBe(130)
  expect(await countRecords(brain)).toBe(500)
  expect((await importFile(brain, 'many.jsonl', ['--resume'])).code).toBe(2)
  const resumed = await importFile(brain, 'many.jsonl', ['--slug', 'id', '--resume'])
  expect(resumed).toMatchObject({ code: 0, stdout: '1200 rows: 1200 written, 0 unchanged, 0 rejected\n' })
  expect(await countRecords(brain)).toBe(1_200)
  expect(await readState(brain)).toBe(3)
  expect((await importFile(brain, 'many.jsonl', ['--slug', 'id', '--resume'])).code).toBe(2)
})

test('D-34b two imports of one file at once write each row once', async () => {
  const brain = await addBrain(app, member, 'twice')
  write('both.jsonl', toLines(700))
  const both = await Promise.all([1, 2].map(() => importFile(brain, 'both.jsonl', ['--json'])))
  expect(both.map(({ code }) => code)).toEqual([0, 0])
  expect(await countRecords(brain)).toBe(700)
  expect((await brain.call('GET', '/records?kind=order&limit=500')).body.data.records).toSatisfy(
    (records: { version: number }[]) => records.every(({ version }) => version === 1),
  )
})

test.each([
  [['nothing.csv', '--kind', 'k'], 'cannot be read'],
  [['orders.xlsx', '--kind', 'k'], 'none of .csv'],
  [['orders.csv'], '--kind'],
])('noema records import %j is refused', async (argv, part) => {
  const answer = await runCli(['records', 'import', ...argv, '--brain', 'b'], app.base, { cwd: folder })
  expect(answer).toMatchObject({ code: 2, stderr: expect.stringContaining(part) })
})
