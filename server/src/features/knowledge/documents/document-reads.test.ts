import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createBrain } from '../../../test/app.ts'
import { useApp, useBrain } from '../../../test/harness.ts'
import { rawRequest } from '../../../test/raw-request.ts'

const app = useApp()
const brain = useBrain(app)

const put = (body: object) => brain.call('POST', '/documents', body)
const read = async (below: string) => (await brain.call('GET', below)).body.data

test('D-33 a text comes back exactly as it was sent', async () => {
  const texts = {
    empty: '',
    lines: 'one\r\ntwo\rthree\n\n  \tfour  \n',
    emoji: '👩‍👩‍👧‍👦 🇩🇪 é é ｱ \u200b\ufeff end',
    quotes: `"'\\ \\u0041 \\n {}[] </script> $1 %s \u2028\u2029\u007f\u0001`,
    plane: '\u{10ffff}\u{1d11e}',
    json: '{"data":{"text":null}}',
  }
  for (const [id, text] of Object.entries(texts)) {
    const { document } = (await put({ id, text })).body.data
    expect(document).toMatchObject({ length: text.length, hash: createHash('sha256').update(text).digest('hex') })
    expect((await read(`/documents/${id}`)).document.text, id).toBe(text)
    expect((await read(`/documents/${id}?version=1`)).document.text, id).toBe(text)
  }
})

test('D-08 a text of several MiB is kept exactly, and a body above 16 MiB is refused', async () => {
  for (const [id, size] of [
    ['one', 1],
    ['fifteen', 15],
  ] as const) {
    const text = '0123456789abcdefé'.repeat((size * 1024 * 1024) / 18)
    const served = await put({ id: `mib-${id}`, text })
    expect(served.status).toBe(201)
    expect((await read(`/documents/mib-${id}`)).document.text === text).toBe(true)
  }
  const refused = await put({ text: 'x'.repeat(16 * 1024 * 1024) })
  expect(refused).toMatchObject({ status: 400, body: { error: { kind: 'validation', code: 'body_too_large' } } })
})

test('D-08 an id that no URL leads to is refused wherever an item is made', async () => {
  for (const id of ['.', '..']) {
    const refusal = { status: 400, body: { error: { kind: 'validation', message: expect.stringContaining('URL') } } }
    expect(await put({ id, text: 'nowhere' })).toMatchObject(refusal)
    for (const operation of [
      { op: 'document.put', id, text: 'nowhere' },
      { op: 'record.put', id, kind: 'thing', fields: {} },
    ])
      expect(await brain.call('POST', '/batch', { operations: [operation] })).toMatchObject(refusal)
    // Only a program that sends paths as they are can ask for this one.
    const sent = await rawRequest(app.base, {
      method: 'PUT',
      path: `${brain.path}/records/${id}`,
      headers: { authorization: `Bearer ${brain.key}`, 'content-type': 'application/json' },
      body: Buffer.from('{"kind":"thing","fields":{}}'),
    })
    expect([400, 404]).toContain(sent.status)
  }
  expect((await read('/records')).records).toEqual([])
  expect((await put({ id: '...', text: 'somewhere' })).status).toBe(201)
  expect((await read('/documents/...')).document.text).toBe('somewhere')
})

test('D-33 a text that cannot be kept exactly is refused', async () => {
  for (const body of [
    '{"text":"nul \\u0000 byte"}',
    '{"text":"half \\ud83d pair"}',
    '{"text":"x","metadata":{"n":1e999}}',
    '{"text":"x","metadata":{"n":9007199254740993}}',
  ])
    expect(await brain.call('POST', '/documents', body), body).toMatchObject({
      status: 400,
      body: { error: { kind: 'validation' } },
    })
})

test('D-33 a list is by id, without texts, all or of one source, page by page', async () => {
  const of = await createBrain(app, 'listed')
  const operations = Array.from({ length: 11 }, (_, n) => ({
    op: 'document.put',
    id: `d${String(n).padStart(2, '0')}`,
    text: `t${n}`,
    ...(n % 2 === 0 ? { source: { name: 'even' } } : {}),
  }))
  await of.call('POST', '/batch', { operations })
  const pages = async (query: string) => {
    const ids: string[] = []
    for (let after = ''; ; ) {
      const { documents, cursor, hasMore } = (await of.call('GET', `/documents?${query}${after}`)).body.data
      for (const document of documents) expect(document).not.toHaveProperty('text')
      ids.push(...documents.map(({ id }: { id: string }) => id))
      if (!hasMore) return ids
      after = `&after=${cursor}`
    }
  }
  const all = operations.map(({ id }) => id)
  expect(await pages('limit=3')).toEqual(all)
  expect(await pages('limit=2&source=even')).toEqual(all.filter((_, n) => n % 2 === 0))
  expect(await pages('source=nowhere')).toEqual([])
})

test('D-07 asOf shows a document as it was served then, in every read', async () => {
  const id = 'timeline'
  const states: ({ text: string; version: number } | undefined)[] = []
  const first: number = (await read('/documents')).stateVersion
  const steps = [{ text: 'one' }, { text: 'two' }, undefined, { text: 'two' }, undefined]
  let version = 0
  for (const step of steps) {
    const answer = step ? await put({ id, ...step }) : await brain.call('DELETE', `/documents/${id}`)
    expect(answer.status).toBeLessThan(300)
    states.push(step && { ...step, version: ++version })
  }
  expect((await brain.call('GET', `/documents/${id}?asOf=${first}`)).status).toBe(404)
  for (const [index, state] of states.entries()) {
    const asOf = first + 1 + index
    const answer = await brain.call('GET', `/documents/${id}?asOf=${asOf}`)
    if (state) expect(answer.body.data).toMatchObject({ document: { ...state, status: 'served' }, stateVersion: asOf })
    else expect(answer.status).toBe(404)
    const { documents } = await read(`/documents?asOf=${asOf}&limit=500`)
    const listed = documents.filter((document: { id: string }) => document.id === id)
    expect(listed).toMatchObject(state ? [{ version: state.version, status: 'served' }] : [])
  }
  // A version is there from the state that served it, retired from the state that retired it.
  expect((await brain.call('GET', `/documents/${id}?version=2&asOf=${first + 1}`)).status).toBe(404)
  expect((await read(`/documents/${id}?version=2&asOf=${first + 2}`)).document.status).toBe('served')
  expect((await read(`/documents/${id}?version=2&asOf=${first + 3}`)).document.status).toBe('retired')
})

test('D-33 versions are listed oldest first, page by page, and an unknown document is 404', async () => {
  for (const text of ['a', 'b', 'c', 'd', 'e']) await put({ id: 'versions', text })
  const page = await read('/documents/versions/versions?limit=3')
  expect(page.versions.map(({ version }: { version: number }) => version)).toEqual([1, 2, 3])
  const rest = await read(`/documents/versions/versions?limit=3&after=${page.cursor}`)
  expect(rest.versions.map(({ version }: { version: number }) => version)).toEqual([4, 5])
  expect([page.hasMore, rest.hasMore]).toEqual([true, false])
  for (const below of ['/documents/never', '/documents/never/versions', '/documents/never?version=1'])
    expect((await brain.call('GET', below)).status, below).toBe(404)
})
