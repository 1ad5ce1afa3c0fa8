import { once } from 'node:events'
import { type ClientRequest, request } from 'node:http'
import { expect, test } from 'vitest'
import { createBrain, type TestBrain } from '../../test/app.ts'
import { useBrain, useOwnApp } from '../../test/harness.ts'

// Megabytes: of a node, of an organization, of a key.
const app = useOwnApp({ NOEMA_MAX_BODIES: '40/16/8' })
const brain = useBrain(app)

const MiB = 1024 * 1024

/** Begins to send a document and leaves the rest of it out. */
const beginDocument = async (
  { path, key }: TestBrain,
  headers: Record<string, string | number>,
): Promise<ClientRequest> => {
  const sent = request(`${app.base}${path}/documents`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
  })
  sent.on('error', () => undefined)
  await new Promise((resolve) => sent.write('{"text":"', resolve))
  return sent
}

const findAnswer = async (sent: ClientRequest) => {
  const [response] = await once(sent, 'response')
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return { status: response.statusCode, headers: response.headers, ...JSON.parse(Buffer.concat(chunks).toString()) }
}

const refused = {
  status: 429,
  headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) },
  error: { kind: 'rate_limited', code: 'too_many_bodies' },
}

test('SUR-04 a key has so many bytes of bodies under way; one more body is 429 before it is read, and others go on', async () => {
  const begin = () => beginDocument(brain, { 'content-length': 5 * MiB })
  const waiting = [await begin(), await begin()]
  // Either may be read first; the other is the one more.
  const answers = waiting.map((sent) => findAnswer(sent))
  for (const answer of answers) answer.catch(() => undefined)
  expect(await Promise.race(answers)).toMatchObject(refused)
  expect(await findAnswer(await beginDocument(brain, { 'content-length': 5 * MiB }))).toMatchObject(refused)
  const reader = { ...brain, key: await brain.mintKey(['write']) }
  waiting.push(await beginDocument(reader, { 'content-length': 5 * MiB }))
  const other = await createBrain(app)
  const text = 'x'.repeat(5 * MiB)
  expect((await other.call('POST', '/documents', { text })).status).toBe(201)
  expect((await brain.call('POST', '/records', { kind: 'small' })).status).toBe(201)
  for (const sent of waiting) sent.destroy()
  const again = async () => (await brain.call('POST', '/documents', { text })).status
  await expect.poll(again).toBeLessThan(300)
})

test('a body without a length takes its share as it arrives', async () => {
  const sent = await beginDocument(brain, { 'transfer-encoding': 'chunked' })
  const answer = findAnswer(sent)
  for (let megabyte = 0; megabyte < 12; megabyte++) sent.write(Buffer.alloc(MiB, 'x'))
  expect(await answer).toMatchObject(refused)
  sent.destroy()
  const text = 'y'.repeat(3 * MiB)
  const whole = await fetch(`${app.base}${brain.path}/documents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${brain.key}`, 'content-type': 'application/json' },
    body: ReadableStream.from([Buffer.from(JSON.stringify({ text }))]),
    duplex: 'half',
  })
  expect(whole.status).toBe(201)
})

test('bytes of requests without a credential count for their address', async () => {
  const signUp = () =>
    new Promise<ClientRequest>((resolve) => {
      const headers = { origin: 'http://noema.test', 'content-type': 'application/json', 'content-length': MiB }
      const sent = request(`${app.base}/api/auth/sign-up/email`, { method: 'POST', agent: false, headers })
      sent.on('error', () => undefined)
      sent.write('{', () => resolve(sent))
    })
  const waiting = await Promise.all(Array.from({ length: 8 }, signUp))
  const one = await signUp()
  expect(await findAnswer(one)).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS' })
  for (const sent of [...waiting, one]) sent.destroy()
})
