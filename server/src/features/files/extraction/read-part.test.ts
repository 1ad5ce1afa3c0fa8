import { expect, test } from 'vitest'
import { makePdf } from '../../../../../bench/parts/sample-files.ts'
import { createMember } from '../../../test/app.ts'
import { useApp, useMember } from '../../../test/harness.ts'
import { useFiles } from '../artifacts/use-files.fixture.ts'

const app = useApp()
const member = useMember(app)
const { upload } = useFiles(app)

const read = async (id: string, query = '', key = member.key) =>
  app.request('GET', `/v1/artifacts/${id}/text?${query}`, { key })
const send = async (path: string, contentType: string, body: string | Buffer) =>
  (await upload(member, path, { headers: { 'content-type': contentType }, body })).body.data.artifact
const pages = ['First page.', 'Second page.', 'Third page.']
const sendPdf = (path: string) => send(path, 'application/pdf', makePdf(pages.map((text) => [{ text, y: 740 }])))

test('FIL-28 the text of a PDF is read from a page on, and says which pages a part has', async () => {
  const { id } = await sendPdf('book.pdf')
  const whole = await read(id)
  expect(whole.body.data).toMatchObject({
    artifact: { id, path: 'book.pdf', version: 1 },
    ...{ pages: { first: 1, last: 3, total: 3 }, nextOffset: null },
  })
  const second = (await read(id, 'page=2&size=12')).body.data
  expect(second).toMatchObject({ pages: { first: 2, last: 2, total: 3 }, nextOffset: expect.any(Number) })
  const rest = (await read(id, `offset=${second.nextOffset}`)).body.data
  expect(second.text + rest.text).toMatch(/^\s*Second page\.\n\f\s*Third page\.\n\f$/)
  expect(rest.pages).toEqual({ first: 2, last: 3, total: 3 })
  const beyond = await read(id, 'page=4')
  expect([beyond.status, beyond.body.error.details[0]]).toMatchObject([400, { path: 'query.page' }])
  expect((await read(id, 'page=1&offset=0')).status).toBe(400)
})

test('FIL-28 parts of any size make the whole text, cut between characters', async () => {
  const text = `Ä€😀é ${'😀'.repeat(20)}`
  for (const file of [
    await send('plain.txt', 'text/plain', text),
    await send('page.html', 'text/html', `<p>${text}</p>`),
  ])
    for (const size of [1, 5, 7]) {
      const parts: string[] = []
      for (let offset: number | null = 0; offset !== null; ) {
        const { body } = await read(file.id, `offset=${offset}&size=${size}`)
        parts.push(body.data.text)
        offset = body.data.nextOffset
      }
      expect([parts.every((part) => part.isWellFormed() && part !== ''), parts.join('')]).toEqual([true, text])
    }
  const { id } = await send('plain.txt', 'text/plain', text)
  expect((await read(id, 'offset=9999')).body.data).toMatchObject({ text: '', nextOffset: null })
  expect((await read(id, 'page=1')).body.error.message).toContain('no pages')
  for (const query of ['size=0', 'size=65537', 'offset=-1', 'page=0', 'version=9999999999'])
    expect((await read(id, query)).status, query).toBe(400)
})

test('FIL-28 text in another encoding is read as its document is, also if its sender names none', async () => {
  const text = `Größe ${'é'.repeat(20)}`
  for (const body of [Buffer.from(text, 'latin1'), Buffer.from(`\ufeff${text}`, 'utf16le')]) {
    const { id } = await send('encoded.txt', 'text/plain', body)
    const first = (await read(id, 'size=10')).body.data
    const rest = (await read(id, `offset=${first.nextOffset}`)).body.data
    expect([first.text, first.text + rest.text]).toEqual(['Größe éééé', text])
  }
})

test('FIL-28 an earlier version is read by its number; a file without text, and one of others, is refused', async () => {
  const { id } = await send('notes.txt', 'text/plain', 'old')
  await send('notes.txt', 'text/plain', 'new')
  expect((await read(id, 'version=1')).body.data).toMatchObject({ text: 'old', artifact: { version: 1 } })
  expect((await read(id)).body.data).toMatchObject({ text: 'new', artifact: { version: 2 } })
  expect((await read(id, 'version=3')).status).toBe(404)
  const image = await send('image.png', 'image/png', Buffer.from([1, 2, 3]))
  expect((await read(image.id)).body.error).toMatchObject({ code: 'file_unsupported' })
  const stranger = await createMember(app)
  expect((await read(id, '', stranger.key)).status).toBe(404)
})
