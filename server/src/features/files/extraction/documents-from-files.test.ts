import { expect, test } from 'vitest'
import { makeDocx, makePdf, makeZip, wordParagraph } from '../../../../../bench/parts/sample-files.ts'
import { addBrain, createMember, type TestMember } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { untilIndexed } from '../../retrieval/lexical-index/indexed.fixture.ts'
import { useFiles } from '../artifacts/use-files.fixture.ts'

const app = useOwnApp({ NOEMA_EXTRACT_CHARACTERS: '100000', NOEMA_EXTRACT_SECONDS: '60' })
const { upload } = useFiles(app)

const pdfType = { headers: { 'content-type': 'application/pdf' } }
const pdf = makePdf([
  [
    { text: 'Annual report', y: 780, size: 24 },
    { text: 'Orders grew in every region of the country.', y: 740 },
  ],
  [{ text: 'The warehouse in Lisbon stores the spare turbines.', y: 740 }],
])

const sendPdf = async (member: TestMember, path: string, body = pdf) =>
  (await upload(member, path, { ...pdfType, body })).body.data.artifact

const start = async (handle: string) => {
  const member = await createMember(app)
  return { member, brain: await addBrain(app, member, handle) }
}

test('FIL-10 a file becomes a document that names it, with its title, and search and context name the page', async () => {
  const { member, brain } = await start('pages')
  const { id, path } = await sendPdf(member, 'reports/2026.pdf')
  const made = await brain.call('POST', '/documents', { id: 'report', artifact: id })
  expect(made.status).toBe(201)
  expect(made.body.data.document).toMatchObject({
    ...{ id: 'report', title: 'A report', contentType: 'text/markdown', artifact: { id, path, version: 1 } },
  })
  const read = await brain.call('GET', '/documents/report')
  expect(read.body.data.document).toMatchObject({
    text: '# Annual report\n\nOrders grew in every region of the country.\n\f\n\nThe warehouse in Lisbon stores the spare turbines.\n\f',
    artifactDeleted: false,
  })
  for (const indexed of [false, true]) {
    if (indexed) await untilIndexed(app, brain)
    const found = await brain.call('GET', '/search?q=turbines')
    expect(found.body.data.results[0]).toMatchObject({ id: 'report', page: 2 })
    expect((await brain.call('GET', '/search?q=region')).body.data.results[0]).toMatchObject({ page: 1 })
    const context = await brain.call('POST', '/context', { query: 'where are the spare turbines stored?' })
    expect(context.body.data.items[0].pages).toContain(2)
    expect(context.body.data.context).toMatch(/file "reports\/2026\.pdf", pages? .*2\]\]/)
  }
})

test('FIL-10 the same file changes nothing, a new version of it makes a new version, and an idempotency key repeats the answer', async () => {
  const { member, brain } = await start('versions')
  const { id } = await sendPdf(member, 'a.pdf')
  const put = (headers = {}, body = {}) =>
    brain.call('POST', '/documents', { id: 'a', artifact: id, ...body }, { headers })
  expect((await put({ 'idempotency-key': 'once' })).status).toBe(201)
  expect((await put()).body.data).toMatchObject({ document: { version: 1 } })
  const next = makePdf([[{ text: 'Another text.', y: 700 }]])
  await sendPdf(member, 'a.pdf', next)
  const repeated = await put({ 'idempotency-key': 'once' })
  expect(repeated.body.data.document).toMatchObject({ version: 1, artifact: { version: 1 } })
  expect((await put({}, { title: 'Mine' })).body.data.document).toMatchObject({
    ...{ version: 2, title: 'Mine', artifact: { version: 2 } },
  })
  expect((await put({}, { artifactVersion: 1 })).body.data.document).toMatchObject({ artifact: { version: 1 } })
  // A document with a new text no longer names the file.
  await brain.call('POST', '/documents', { id: 'a', text: 'Written by hand.' })
  expect((await brain.call('GET', '/documents/a')).body.data.document).not.toHaveProperty('artifact')
})

test('FIL-10 in a Brain with review, the text waits for a decision with its file', async () => {
  const { member, brain } = await start('reviewed')
  await brain.call('PATCH', '', { mode: 'review' })
  const { id } = await sendPdf(member, 'staged.pdf')
  const staged = await brain.call('POST', '/documents', { id: 'staged', artifact: id })
  expect(staged.status).toBe(202)
  const { change } = staged.body.data
  await brain.call('POST', `/changes/${change.id}/decide`, { decision: 'approved' })
  expect((await brain.call('GET', '/documents/staged')).body.data.document).toMatchObject({
    artifact: { id, path: 'staged.pdf', version: 1 },
  })
})

test('FIL-11 after the file is deleted, the document stays and says so', async () => {
  const { member, brain } = await start('deleted')
  const { id } = await sendPdf(member, 'b.pdf')
  await brain.call('POST', '/documents', { id: 'b', artifact: id })
  await app.request('DELETE', `/v1/artifacts/${id}`, { key: member.key })
  expect((await brain.call('GET', '/documents/b')).body.data.document).toMatchObject({
    ...{ artifact: { id, path: 'b.pdf' }, artifactDeleted: true, text: expect.stringContaining('turbines') },
  })
  const again = await brain.call('POST', '/documents', { id: 'c', artifact: id })
  expect([again.status, again.body.error.message]).toEqual([404, expect.stringContaining(id)])
})

test('FIL-11 a file is not there for a Brain key and for another organization', async () => {
  const { member, brain } = await start('hidden')
  const other = await start('other')
  const { id } = await sendPdf(member, 'c.pdf')
  const unknown = await brain.call('POST', '/documents', { artifact: 'art_unknown' })
  expect(unknown.status).toBe(404)
  const toShape = ({ status, body }: typeof unknown) => [status, body.error.message.replace(/"[^"]*"/, '')]
  expect(toShape(await other.brain.call('POST', '/documents', { artifact: id }))).toEqual(toShape(unknown))
  const key = await brain.mintKey(['read', 'write'])
  expect(toShape(await brain.call('POST', '/documents', { artifact: id }, { key }))).toEqual(toShape(unknown))
})

test('FIL-11 a caller cannot name a file for a text that is not its text', async () => {
  const { member, brain } = await start('forged')
  const { id, version, path } = await sendPdf(member, 'd.pdf')
  const artifact = { id, path, version }
  await brain.call('POST', '/batch', { operations: [{ op: 'document.put', id: 'forged', text: 'Not it.', artifact }] })
  expect((await brain.call('GET', '/documents/forged')).body.data.document).not.toHaveProperty('artifact')
  for (const body of [{}, { text: 'x', artifact: id }, { artifact }, { artifact: id, artifactVersion: 0 }])
    expect((await brain.call('POST', '/documents', body)).status).toBe(400)
})

test.each([
  ['file_unreadable', 'a.pdf', 'application/pdf', Buffer.from('no PDF'), 'is broken'],
  ['file_unreadable', 'b.pdf', 'application/pdf', makePdf([[]]), 'NOEMA_EXTRACT_URL'],
  ['file_unreadable', 'c.docx', 'application/octet-stream', makeDocx(wordParagraph('x'.repeat(200_000))), 'Split it'],
  [
    'file_encrypted',
    'd.docx',
    'application/octet-stream',
    makeZip([{ name: 'word/document.xml', content: 'a', claims: { flags: 1 } }]),
    'password',
  ],
  ['file_unsupported', 'e.zip', 'application/zip', makeZip([]), 'Send a PDF'],
] as const)(
  'FIL-09 %s: the request with %s (%s) is 400 with what to do, and leaves nothing behind',
  async (code, path, type, body, text) => {
    const { member, brain } = await start(`refused-${path.replace('.', '-')}`)
    const { artifact } = (await upload(member, path, { headers: { 'content-type': type }, body })).body.data
    const refused = await brain.call('POST', '/documents', { artifact: artifact.id })
    expect([refused.status, refused.body.error.code]).toEqual([400, code])
    expect(refused.body.error.message).toContain(text)
    expect((await brain.call('GET', '/documents')).body.data).toMatchObject({ documents: [], stateVersion: 0 })
  },
)

test('FIL-10 a title that a file names has no characters that cannot be stored', async () => {
  const { member, brain } = await start('titles')
  const named = await sendPdf(member, 'nul.pdf', makePdf([[{ text: 'The text.', y: 700 }]], 'Annual\0 report'))
  const made = await brain.call('POST', '/documents', { id: 'pdf', artifact: named.id })
  expect([made.status, made.body.data?.document.title]).toEqual([201, 'Annual report'])
  const headers = { 'content-type': 'message/rfc822' }
  const body = 'From: a@example.com\r\nSubject: =?utf-8?Q?One=00=0Atwo?=\r\n\r\nThe text.\r\n'
  const mail = (await upload(member, 'nul.eml', { headers, body })).body.data.artifact
  const sent = await brain.call('POST', '/documents', { id: 'mail', artifact: mail.id })
  expect([sent.status, sent.body.data?.document.title]).toEqual([201, 'One two'])
})
