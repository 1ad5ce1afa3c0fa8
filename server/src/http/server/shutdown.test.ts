import { once } from 'node:events'
import { request } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createBrain, startTestApp, type TestApp, type TestBrain } from '../../test/app.ts'
import { holdBrain, untilOneWaits } from '../../test/held-brain.ts'

let app: TestApp
let brain: TestBrain
beforeEach(async () => {
  app = await startTestApp()
  brain = await createBrain(app)
})
afterEach(() => app.database.drop())

const recordsThere = async (): Promise<number> => {
  const { rows } = await app.database.pool.query('select count(*) as count from record_versions where to_state is null')
  return rows[0].count
}

test('D-82 closing finishes the writes under way: each is answered, and what was answered is there', async () => {
  const release = await holdBrain(app.database, brain.brain.id)
  const writes = Array.from({ length: 5 }, () => brain.call('POST', '/records', { kind: 'late' }))
  await untilOneWaits(app.database)
  const closed = app.app.close()
  await release()
  const answers = await Promise.all(writes)
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
  await closed
  expect(await recordsThere()).toBe(5)
})

test('D-82 a body that is still arriving when closing begins is taken and answered', async () => {
  const { hostname, port } = new URL(app.base)
  const headers = { authorization: `Bearer ${brain.key}`, 'content-type': 'application/json' }
  const sent = request({ hostname, port, method: 'POST', path: `${brain.path}/records`, headers, agent: false })
  sent.write('{"kind":')
  // Answered after the half body has reached the server, on its own connection.
  await app.request('GET', '/livez')
  const closed = app.app.close()
  sent.end('"late"}')
  const [response] = await once(sent, 'response')
  response.resume()
  expect(response.statusCode).toBe(201)
  await closed
  expect(await recordsThere()).toBe(1)
})

test('D-82 closing ends live tails, whole events and nothing torn', async () => {
  await brain.call('POST', '/records', { kind: 'seen' })
  const response = await fetch(`${app.base}${brain.path}/events`, {
    headers: { authorization: `Bearer ${brain.key}`, accept: 'text/event-stream' },
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const read = async () => {
    const part = await reader?.read()
    text += part?.value ?? ''
    return part?.done
  }
  while (!text.includes('record.accepted')) await read()
  const closed = app.app.close()
  while (!(await read()));
  await closed
  expect(text.endsWith('\n\n')).toBe(true)
})

test('D-82 a node that closed takes no further connections, and another goes on', async () => {
  const node = await app.startNode()
  await app.app.close()
  await expect(app.request('GET', '/livez')).rejects.toThrow()
  expect((await node.request('GET', brain.path, { key: brain.key })).status).toBe(200)
  await node.close()
})
