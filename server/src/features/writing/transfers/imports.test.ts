import { connect } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { addBrain, createBrain, type TestBrain } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { createRichBrain } from '../../../test/rich-brain.ts'
import { exportText, importText, withLines } from '../../../test/transfer.ts'

const app = useOwnApp()
let rich: TestBrain
let target: TestBrain
let full: string
beforeAll(async () => {
  rich = await createRichBrain(app, 'rich')
  target = await addBrain(app, rich, 'target')
  full = await exportText(app, rich)
})

const findLine = (part: string): number => full.split('\n').findIndex((line) => line.includes(part)) + 1
const replaceIn = (part: string, change: (line: string) => string) => (lines: string[]) =>
  lines.map((line, index) => (index + 1 === findLine(part) ? change(line) : line))

const isEmpty = async () => {
  const [{ body: page }, { body: found }] = [await target.call('GET', '/events'), await target.call('GET', '')]
  const rows = await app.database.pool.query(
    `select count(*) from brains join lateral (select brain_id from record_versions union all select brain_id from changes
      union all select brain_id from statements union all select brain_id from document_versions) as thing
      on thing.brain_id = brains.brain_id where brains.id = $1`,
    [target.brain.id],
  )
  return page.data.events.length === 0 && found.data.brain.stateVersion === 0 && Number(rows.rows[0].count) === 0
}

/** A file that is refused, and how: the line that is named, and words of the reason. */
type Refused = { what: string; file: () => string; line: number | (() => number); why: RegExp }

const refusals: Refused[] = [
  { what: 'nothing at all', file: () => '', line: 1, why: /truncated/ },
  {
    what: 'a foreign format',
    file: () => '{"header":{"format":"other","version":1}}\n',
    line: 1,
    why: /not an export of a Brain/,
  },
  { what: 'another kind of file', file: () => '{"id":"a"}\n{"id":"b"}\n', line: 1, why: /not an export of a Brain/ },
  { what: 'a newer version', file: () => full.replace('"version":1', '"version":2'), line: 1, why: /version 2/ },
  {
    what: 'text that is no JSON',
    file: () => withLines(full, (lines) => [...lines.slice(0, 3), '{"record":', ...lines.slice(3)]),
    line: 4,
    why: /not valid JSON/,
  },
  { what: 'bytes that are no text', file: () => full.replace('Rich', '\\ud800'), line: 1, why: /surrogate/ },
  { what: 'an empty line', file: () => full.replace('\n', '\n\n'), line: 2, why: /empty/ },
  {
    what: 'a sort that it does not know',
    file: () => withLines(full, (lines) => [...lines, '{"picture":{}}']),
    line: () => full.split('\n').length - 1,
    why: /not a line of an export/,
  },
  {
    what: 'a file that was cut between lines',
    file: () => full.split('\n').slice(0, 9).join('\n'),
    line: 10,
    why: /truncated/,
  },
  {
    what: 'a file that was cut inside a line',
    file: () => full.slice(0, full.indexOf('acme')),
    line: () => findLine('acme'),
    why: /not valid JSON/,
  },
  {
    what: 'a text that was changed',
    file: () => full.replace('Another text', 'Another test'),
    line: () => findLine('Another text'),
    why: /hash/,
  },
  {
    what: 'a value that was changed',
    file: () => full.replace('Ada Łovelace', 'Ida Łovelace'),
    line: () => findLine('"trailer"'),
    why: /SHA-256/,
  },
  {
    what: 'a line that is missing',
    file: () => full.split('\n').toSpliced(findLine('"id":"two"'), 1).join('\n'),
    line: () => findLine('"trailer"') - 1,
    why: /but the file has/,
  },
  {
    what: 'lines after the trailer',
    file: () => `${full}{"record":{}}\n`,
    line: () => findLine('"trailer"') + 1,
    why: /after the trailer/,
  },
  {
    what: 'sections in another order',
    file: () => withLines(full, ([header, ...lines]) => [header ?? '', ...lines.reverse()]),
    line: () => full.split('\n{"date":').length + 1,
    why: /the order is/,
  },
  {
    what: 'two headers',
    file: () => withLines(full, ([header = '', ...lines]) => [header, header, ...lines]),
    line: 2,
    why: /header comes after/,
  },
  {
    what: 'a thing that is there twice',
    file: () =>
      withLines(full, (lines) => lines.flatMap((line) => (line.includes('"slug":"ada"') ? [line, line] : [line]))),
    line: () => findLine('"slug":"ada"') + 1,
    why: /there before/,
  },
  {
    what: 'a record without a kind',
    file: () =>
      withLines(
        full,
        replaceIn('"slug":"ada"', (line) => line.replace('"kind":"person"', '"kind":null')),
      ),
    line: () => findLine('"slug":"ada"'),
    why: /record\.kind/,
  },
  {
    what: 'a state beyond the last',
    file: () =>
      withLines(
        full,
        replaceIn('"slug":"ada"', (line) => line.replace(/"stateVersion":\d+/, '"stateVersion":99')),
      ),
    line: () => findLine('"slug":"ada"'),
    why: /states/,
  },
  {
    what: 'history where none is promised',
    file: () => withLines(full, (lines) => lines.map((line) => line.replace('"history":true', '"history":false'))),
    line: 4,
    why: /without history/,
  },
  {
    what: 'a schema that is missing',
    file: () => withLines(full, (lines) => lines.filter((line) => !line.startsWith('{"schema":{"schemaVersion":2'))),
    line: 1,
    why: /schemaVersion 2, and the newest schema in the file is 1/,
  },
  {
    what: 'a schema that leaves something out',
    file: () =>
      withLines(
        full,
        replaceIn('{"schema":', (line) => line.replace('"strict":false,', '')),
      ),
    line: 2,
    why: /property is missing/,
  },
  {
    what: 'two records with one value of a unique field',
    file: () =>
      withLines(full, (lines) =>
        lines.flatMap((line) =>
          line.startsWith('{"record":') && line.includes('"number":7')
            ? [line, line.replace('"id":"task"', '"id":"twin"')]
            : [line],
        ),
      ),
    line: 1,
    why: /task\.number/,
  },
  {
    what: 'a date that is there twice',
    file: () => withLines(full, (lines) => [...lines, lines.at(-1) ?? '']),
    line: () => findLine('"trailer"'),
    why: /there before/,
  },
  {
    what: 'a date before all calendars',
    file: () => withLines(full, (lines) => lines.map((line) => line.replace('"offset":"P0D"', '"offset":"P9999Y"'))),
    line: () => findLine('"offset":"P0D"'),
    why: /years 1 to 9999/,
  },
]

test.each(refusals)('D-25 an import of $what is refused with its line, and leaves the Brain empty', async (refused) => {
  const { status, body } = await importText(app, target, refused.file())
  const line = typeof refused.line === 'number' ? refused.line : refused.line()
  expect(body.error.message).toMatch(refused.why)
  expect({ status, details: body.error.details }).toMatchObject({ status: 400, details: [{ line }] })
  expect(body.error.message).toMatch(new RegExp(`^Line ${line}: `))
  expect(await isEmpty()).toBe(true)
})

test('D-25 a file that was written before there were schemas and dates is taken', async () => {
  const empty = await addBrain(app, rich, 'empty')
  const text = await exportText(app, empty)
  const older = text.replace('"schemas":0,', '').replace(',"dates":0', '')
  expect(older).toHaveLength(text.length - '"schemas":0,,"dates":0'.length)
  expect((await importText(app, await addBrain(app, rich, 'older'), older)).status).toBe(200)
})

test('D-25 an import is when its Brain was written to last, also without the history', async () => {
  const copy = await addBrain(app, rich, 'written')
  expect((await importText(app, copy, await exportText(app, rich))).status).toBe(200)
  expect((await copy.call('GET', '')).body.data.brain.lastWriteAt).toEqual(expect.any(String))
})

test('D-25 a file from before exports had actors is accepted, and its keys act in it', async () => {
  const bare = await addBrain(app, rich, 'before-actors')
  const older = withLines(full, (lines) =>
    lines.map((line) => {
      if (!line.startsWith('{"change":')) return line
      const { stagedBy: _stagedBy, decidedByActor: _decidedByActor, ...change } = JSON.parse(line).change
      return JSON.stringify({ change })
    }),
  )
  expect(older).not.toContain('"type":"key"')
  expect((await importText(app, bare, older)).status).toBe(200)
  const [first] = (await bare.call('GET', '/changes?decision=approved')).body.data.changes
  const { stagedBy, decidedBy } = (await rich.call('GET', `/changes/${first.id}`)).body.data.change
  expect(first).toMatchObject({ stagedBy, stagedByActor: { type: 'key', id: stagedBy } })
  expect(first.decidedByActor?.id).toBe(decidedBy)
})

test('D-25 a file of another content type is refused, and NDJSON is refused where it is not awaited', async () => {
  expect(await target.call('POST', '/import', { a: 1 })).toMatchObject({
    status: 400,
    body: { error: { message: 'Send the body as content-type: application/x-ndjson.' } },
  })
  const headers = { 'content-type': 'application/x-ndjson' }
  expect(await target.call('POST', '/records', '{"kind":"x"}\n', { headers })).toMatchObject({
    status: 400,
    body: { error: { message: 'Send the body as content-type: application/json.' } },
  })
})

test('D-25 a line of more than 32 MiB is refused while it arrives', async () => {
  const { status, body } = await importText(app, target, `${full.split('\n')[0]}\n"${'x'.repeat(33 * 1024 * 1024)}"\n`)
  expect({ status, message: body.error.message }).toEqual({
    status: 400,
    message: 'Line 2: it is longer than 32 MiB, the maximum for a line.',
  })
})

test('D-25 a connection that breaks in the middle of an import leaves the Brain empty', async () => {
  const { hostname, port } = new URL(app.base)
  const socket = connect(Number(port), hostname)
  const head = `POST ${target.path}/import HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${target.key}\r\n`
  const type = 'content-type: application/x-ndjson\r\n'
  socket.write(`${head}${type}content-length: ${Buffer.byteLength(full)}\r\n\r\n${full.slice(0, -100)}`)
  // Between the lines that came and those that do not, its transaction waits.
  const importing = async () => {
    const waiting = `select from pg_stat_activity where state = 'idle in transaction' and datname = current_database()`
    return (await app.database.pool.query(waiting)).rows.length > 0
  }
  await expect.poll(importing).toBe(true)
  socket.destroy()
  await expect.poll(importing).toBe(false)
  expect(await isEmpty()).toBe(true)
})

test('D-25 an import counts as writes of the day, and is refused whole where these do not suffice', async () => {
  app.clock.hold()
  const limited = await createBrain(app, 'limited', { verified: false })
  const one = full.split('\n').find((line) => line.includes('"slug":"ada"')) ?? ''
  const many = (count: number) =>
    withLines(full, ([header = '']) => [
      header,
      ...Array.from({ length: count }, (_, index) =>
        one.replace('"slug":"ada"', '"slug":null').replace(/"id":"[^"]+"/, `"id":"r${index}"`),
      ),
    ])
  const refused = await importText(app, limited, many(20_000))
  expect(refused).toMatchObject({ status: 429, body: { error: { kind: 'rate_limited', code: 'write_cap' } } })
  expect((await limited.call('GET', '/records')).body.data.records).toEqual([])
})

test('D-25 only a Brain that was never written to takes an import, and only one import', async () => {
  const twice = await Promise.all([importText(app, target, full), importText(app, target, full)])
  expect(twice.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(await importText(app, target, full)).toMatchObject({
    status: 409,
    body: { error: { kind: 'conflict', code: 'brain_not_empty' } },
  })
  const staged = await addBrain(app, rich, 'staged')
  await staged.call('PATCH', '', { mode: 'review' })
  await staged.call('POST', '/records', { kind: 'x' })
  expect((await importText(app, staged, full)).body.error.code).toBe('brain_not_empty')
  expect(await exportText(app, target)).toBe(full)
})
