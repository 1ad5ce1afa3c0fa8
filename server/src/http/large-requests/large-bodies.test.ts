import { expect, test } from 'vitest'
import { useApp, useBrain } from '../../test/harness.ts'
import { readWorked } from '../../test/worked.ts'

const app = useApp()
const brain = useBrain(app)

const MiB = 1024 * 1024
const post = async (below: string, body: string | Buffer) => {
  const response = await fetch(`${app.base}${brain.path}${below}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${brain.key}`, 'content-type': 'application/json' },
    body: body as string,
  })
  return { status: response.status, text: await response.text() }
}

const fill = (before: string, item: string, after: string, bytes = 15.6 * MiB) => {
  const count = Math.floor((bytes - before.length - after.length) / (item.length + 1))
  return `${before}${Array(count).fill(item).join(',')}${after}`
}
const message = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"knowledge_write","arguments":'
const record = '{"op":"record.create","kind":"k","fields":{"list":'

const manyValues = [
  ['operations that say nothing', '/batch', fill('{"operations":[', '{}', ']}')],
  ['numbers', '/batch', fill('[', '0', ']')],
  ['numbers of a field', '/batch', fill(`{"operations":[${record}[`, '0', ']}}]}')],
  ['lists of nothing', '/batch', fill(`{"operations":[${record}[`, '[ ]', ']}}]}')],
  ['arguments of a tool', '/mcp', fill(`${message}{"operations":[`, '{}', ']}}}')],
] as const

test.each(manyValues)(
  'D-08 a body of millions of %s is 400, which says how many values there may be',
  async (_what, below, body) => {
    const { status, text } = await post(below, body)
    expect(status).toBe(400)
    expect(text).toMatch(/more than \d00000 values/)
  },
)

test('D-08 half a million values are read, and one more is not', async () => {
  // The body, its list, the operation, its op, kind and fields, and the list of the field.
  const beside = 7
  const body = (values: number) =>
    `{"operations":[${record}[${Array(values - beside)
      .fill('0')
      .join(',')}]}}]}`
  expect((await post('/batch', body(500_000))).status).toBe(200)
  expect((await post('/batch', body(500_001))).status).toBe(400)
})

test('a large body is read as a small one is: what it says, what is wrong with it and where', async () => {
  const text = 'What a document says. '.repeat(20_000)
  const made = await post('/documents', JSON.stringify({ id: 'large', text, undeclared: true, metadata: { n: 1e-7 } }))
  expect(made.status).toBe(201)
  const { body } = await brain.call('GET', '/documents/large')
  expect(body.data.document).toMatchObject({ text, metadata: { n: 1e-7 } })
  const wrong = (fields: object) =>
    post('/batch', JSON.stringify({ operations: [{ op: 'record.create', kind: 'k', fields }] }))
  const padding = 'x'.repeat(MiB)
  const [small, large] = [await wrong({ a: '\ud83d' }), await wrong({ a: '\ud83d', padding })]
  expect(large).toEqual(small)
  const notJson = await post('/documents', `{"text":"${padding}",}`)
  expect(notJson).toMatchObject({ status: 400, text: expect.stringContaining('The body is not valid JSON') })
  const strict = await post('/query', JSON.stringify({ kind: 'k', preset: 'x'.repeat(MiB / 2) }))
  expect(strict).toMatchObject({ status: 400, text: expect.stringContaining('preset') })
})

/**
 * Watches how long this thread works without serving anyone else, in milliseconds; calling the result stops it and returns the
 * maximum.
 */
const watchTurns = (): (() => number) => {
  let longest = 0
  let before = readWorked()
  const look = () => {
    const now = readWorked()
    longest = Math.max(longest, now - before)
    before = now
  }
  const looking = setInterval(look, 5)
  return () => {
    clearInterval(looking)
    look()
    return longest
  }
}

test('while large bodies are read and refused, the node goes on answering', async () => {
  const bodies = manyValues.map(([, below, body]) => [below, Buffer.from(body)] as const)
  await post('/batch', manyValues[0][2])
  // The time that this machine needs now to parse one of them, without looking at a single value.
  const began = readWorked()
  JSON.parse(manyValues[0][2])
  const parseMilliseconds = readWorked() - began
  const readLongest = watchTurns()
  const loop = async () => {
    for (const [below, body] of bodies) await post(below, body)
  }
  await Promise.all([loop(), loop(), loop()])
  expect(readLongest()).toBeLessThan(Math.max(500, parseMilliseconds))
})
