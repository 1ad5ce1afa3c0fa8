import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makePdf } from '../../../../../bench/parts/sample-files.ts'
import { addBrain, createMember, startTestApp, type TestApp, type TestBrain } from '../../../test/app.ts'

type Asked = { method: string | undefined; url: string | undefined; headers: IncomingMessage['headers']; body: Buffer }

const asked: Asked[] = []
let answer: (response: ServerResponse) => unknown = () => undefined

const server = createServer(async (request, response) => {
  const body = Buffer.concat(await Array.fromAsync(request))
  asked.push({ method: request.method, url: request.url, headers: request.headers, body })
  answer(response)
})

const scan = makePdf([[]])
const send = (status: number, body: string) => (response: ServerResponse) => {
  response.writeHead(status).end(body)
}

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => void server.close())

describe.each(['tika', 'docling'] as const)('with %s', (service) => {
  let app: TestApp
  let brain: TestBrain
  beforeAll(async () => {
    const { port } = server.address() as AddressInfo
    app = await startTestApp({
      NOEMA_EXTRACT_URL: `http://127.0.0.1:${port}/`,
      NOEMA_EXTRACT_SERVICE: service,
      NOEMA_EXTRACT_API_KEY: 'key-1',
      NOEMA_EXTRACT_SECONDS: '20',
    })
    brain = await addBrain(app, await createMember(app), 'scans')
  })
  afterAll(() => app.close())

  const put = async (path: string, contentType: string, body: Buffer, to = brain) => {
    const response = await fetch(`${app.base}/v1/artifacts?path=${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${to.key}`, 'content-type': contentType },
      body: new Uint8Array(body),
    })
    const { data } = JSON.parse(await response.text())
    return to.call('POST', '/documents', { id: path, artifact: data.artifact.id })
  }

  const pages =
    service === 'tika'
      ? '<html><head><title>Scanned</title></head><body><div class="page"><h1>One</h1></div><div class="page"><p>Two</p></div></body></html>'
      : JSON.stringify({ status: 'success', document: { md_content: '# One\n\n<!-- noema page break -->\n\nTwo' } })

  test('FIL-12 the server of the operator reads a scan, and its pages are pages', async () => {
    answer = send(200, pages)
    asked.length = 0
    expect((await put('scan.pdf', 'application/pdf', scan)).status).toBe(201)
    const { text } = (await brain.call('GET', '/documents/scan.pdf')).body.data.document
    expect(text).toBe('# One\n\f\n\nTwo\n\f')
    const [{ method, url, headers, body }] = asked as [Asked]
    expect([method, url]).toEqual(service === 'tika' ? ['PUT', '/tika'] : ['POST', '/v1/convert/file'])
    expect(service === 'tika' ? headers.authorization : headers['x-api-key']).toMatch(/key-1$/)
    expect(body.includes(scan.subarray(0, 100))).toBe(true)
  })

  test('FIL-12 it reads files of types that are not read here, and gets no others', async () => {
    answer = send(200, pages)
    asked.length = 0
    expect((await put('drawing.vsd', 'application/vnd.visio', Buffer.from('drawn'))).status).toBe(201)
    expect((await put('text.pdf', 'application/pdf', makePdf([[{ text: 'Text', y: 9 }]]))).status).toBe(201)
    expect(asked).toHaveLength(1)
  })

  test.each([
    ['refuses the file', send(422, 'secret words'), 400, 'file_unreadable'],
    ['does not know the type', send(415, 'secret words'), 400, 'file_unsupported'],
    [
      'finds no text',
      send(200, service === 'tika' ? '<html></html>' : '{"status":"success","document":{"md_content":""}}'),
      400,
      'file_unreadable',
    ],
    ['fails', send(500, 'secret words'), 503, 'extractor_unavailable'],
    ['ends the connection', (response: ServerResponse): unknown => response.destroy(), 503, 'extractor_unavailable'],
    ['answers too much', send(200, 'x'.repeat(30 * 1024 * 1024)), 503, 'extractor_unavailable'],
    [
      'redirects',
      (response: ServerResponse): unknown => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      503,
      'extractor_unavailable',
    ],
  ] as const)(
    'FIL-12 where it %s, the error says so without its words, and nothing is written',
    async (_what, reply, status, code) => {
      answer = reply
      const refused = await put('refused.vsd', 'application/vnd.visio', Buffer.from('drawn'))
      expect([refused.status, refused.body.error.code]).toEqual([status, code])
      expect(JSON.stringify(refused.body)).not.toContain('secret words')
      expect((await brain.call('GET', '/documents/refused.vsd')).status).toBe(404)
    },
  )

  test('FIL-14 while the file of one organization is read, its next one waits, and that of another does not', async () => {
    const other = await addBrain(app, await createMember(app), 'other')
    asked.length = 0
    const held: ServerResponse[] = []
    answer = (response) => held.push(response)
    const first = put('one.vsd', 'application/vnd.visio', Buffer.from('one'))
    await expect.poll(() => held.length).toBe(1)
    const second = put('two.vsd', 'application/vnd.visio', Buffer.from('two'))
    answer = send(200, pages)
    expect((await put('three.vsd', 'application/vnd.visio', Buffer.from('three'), other)).status).toBe(201)
    expect(asked).toHaveLength(2)
    for (const response of held) response.writeHead(200).end(pages)
    expect([(await first).status, (await second).status]).toEqual([201, 201])
    expect(asked).toHaveLength(3)
  })

  test('FIL-17 slow files of two organizations keep a third one waiting for a part of their time only', async () => {
    const [second, third] = [
      await addBrain(app, await createMember(app), 'second'),
      await addBrain(app, await createMember(app), 'third'),
    ]
    const held: ServerResponse[] = []
    answer = (response) => held.push(response)
    const slow = [brain, second].map((to) => put('slow.vsd', 'application/vnd.visio', Buffer.from('slow'), to))
    await expect.poll(() => held.length).toBe(2)
    answer = send(200, pages)
    expect((await put('quick.vsd', 'application/vnd.visio', Buffer.from('quick'), third)).status).toBe(201)
    for (const response of held) response.writeHead(200).end(pages)
    expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([201, 201])
  })
})
