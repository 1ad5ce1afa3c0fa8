import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { difficultTexts, prose } from './difficult-texts.fixture.ts'
import { NotIndexable, openIndexerThread } from './indexer-thread.ts'

const thread = openIndexerThread()
afterAll(() => thread.close())

const content = JSON.stringify({ id: 'd', title: null, occurredAt: null, sequence: null })
const request = (text: string) => ({
  versions: [{ type: 'document' as const, id: 'd', version: 1, fromState: 1, toState: null, content, text }],
  lastPassage: 0,
})

test('a short text does not wait for earlier long ones', async () => {
  await thread.build(request('The thread has started.'))
  const long = [prose(8_000_000), difficultTexts.Han?.(3_000_000) ?? ''].map((text) => thread.build(request(text)))
  const short = thread.build(request('A few words.'))
  expect(await Promise.race([...long.map((one) => one.then(() => 'long')), short.then(() => 'short')])).toBe('short')
  expect((await short).passages).toBe(1)
  for (const one of long) expect((await one).passages).toBeGreaterThan(5_000)
})

test('a long text comes to the thread as it is, with a mark at its beginning and characters of four bytes', async () => {
  const words = '\ufeffHarbour 😀 lantern. '
  const text = words.repeat(Math.ceil(300_000 / words.length))
  const { rows } = await thread.build(request(text))
  const passages = rows.flatMap((row) => JSON.parse(row) as { starts: number; ends: number; text: string }[])
  for (const { starts, ends, text: reported } of passages)
    expect(text.slice(starts, ends)).toContain(reported.trim().slice(0, 40))
})

test('the parts that the database is given are small, however long a text is', async () => {
  const { passages, rows, terms } = await thread.build(request(difficultTexts['minified JSON']?.(3_000_000) ?? ''))
  expect(rows.flatMap((row) => JSON.parse(row))).toHaveLength(passages)
  for (const row of rows) expect(row.length).toBeLessThan(3_000_000)
  for (const part of terms) expect(part.ends).toHaveLength(JSON.parse(part.terms).length)
})

test('work that arrives during shutdown is refused temporarily, and not as unindexable', async () => {
  const ending = openIndexerThread()
  const asked = ending.build(request(prose(3_000_000))).catch((error: unknown) => error)
  await ending.close()
  const error = await asked
  expect(error).toBeInstanceOf(Error)
  expect(error).not.toBeInstanceOf(NotIndexable)
})

test.runIf(process.platform === 'linux')(
  'the thread has a lower priority than those that answer requests',
  async () => {
    await thread.build(request('The thread has started.'))
    const niceness = readdirSync('/proc/self/task')
      .map((id) => readFileSync(`/proc/self/task/${id}/stat`, 'utf8'))
      .filter((stat) => stat.includes('(passages)'))
      // The 19th value of a line is the niceness; the name, the second, may hold spaces.
      .map((stat) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]))
    expect(niceness).toContain(10)
  },
)
