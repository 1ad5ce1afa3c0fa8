import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { addBrain, createMember, type TestMember } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { useFiles } from '../artifacts/use-files.fixture.ts'

// A server that extracts counts how often a file is extracted.

const pages = Array.from({ length: 30 }, (_, n) => `<div class="page"><p>Page ${n + 1}.</p></div>`).join('')
let extractions = 0
const server = createServer(async (request, response) => {
  for await (const _piece of request);
  extractions++
  response.writeHead(200).end(`<html><body>${pages}</body></html>`)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
afterAll(() => void server.close())

const { port } = server.address() as AddressInfo
const app = useOwnApp({ NOEMA_EXTRACT_URL: `http://127.0.0.1:${port}/` })
const { upload } = useFiles(app)

const send = async (member: TestMember, path: string, body = 'drawn') =>
  (await upload(member, path, { headers: { 'content-type': 'application/vnd.visio' }, body })).body.data.artifact
const read = (key: string, id: string, query = '') => app.request('GET', `/v1/artifacts/${id}/text?${query}`, { key })

const countDuring = async (work: () => Promise<unknown>): Promise<number> => {
  const before = extractions
  await work()
  return extractions - before
}

test('FIL-30 reading a file part by part extracts it once, also of several callers at a time and for a document', async () => {
  const member = await createMember(app)
  const brain = await addBrain(app, member, 'parts')
  const { id } = await send(member, 'book.vsd')
  const readAll = () =>
    Promise.all(
      Array.from({ length: 30 }, async (_, n) => {
        const part = (await read(member.key, id, `page=${n + 1}&size=6`)).body.data
        expect(part.pages).toEqual({ first: n + 1, last: n + 1, total: 30 })
      }),
    )
  expect(await countDuring(readAll)).toBe(1)
  expect(await countDuring(readAll)).toBe(0)
  const put = () => brain.call('POST', '/documents', { id: 'book', artifact: id })
  expect(await countDuring(put)).toBe(0)
  expect((await brain.call('GET', '/documents/book')).body.data.document.text).toContain('Page 30.')
})

test('FIL-30 each version is extracted, and access is checked on each call', async () => {
  const [member, stranger] = [await createMember(app), await createMember(app)]
  const { id } = await send(member, 'plan.vsd')
  expect(await countDuring(() => read(member.key, id))).toBe(1)
  await send(member, 'plan.vsd', 'drawn again')
  expect(await countDuring(() => read(member.key, id))).toBe(1)
  expect(await countDuring(() => read(member.key, id, 'version=1'))).toBe(0)
  expect((await read(stranger.key, id)).status).toBe(404)
  expect((await app.request('DELETE', `/v1/artifacts/${id}?version=1`, { key: member.key })).status).toBe(200)
  expect((await read(member.key, id, 'version=1')).status).toBe(404)
  await app.request('DELETE', `/v1/artifacts/${id}`, { key: member.key })
  expect((await read(member.key, id)).status).toBe(404)
})
