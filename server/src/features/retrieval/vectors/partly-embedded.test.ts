import { afterAll, beforeAll, expect, test } from 'vitest'
import { addBrain, createMember, startTestApp, type TestApp, type TestBrain } from '../../../test/app.ts'
import { type EmbeddingsEndpoint, startEmbeddingsEndpoint } from '../../../test/embeddings-endpoint.ts'
import { untilIndexed } from '../lexical-index/indexed.fixture.ts'

// A Brain of which only a part is embedded, as it is after every import: the first documents have vectors, the later ones wait
// until the test lets their embeddings pass.

let endpoint: EmbeddingsEndpoint
let app: TestApp
let brain: TestBrain
let openGate: () => void

beforeAll(async () => {
  endpoint = await startEmbeddingsEndpoint(96)
  app = await startTestApp({
    NOEMA_EMBEDDINGS: 'on',
    NOEMA_EMBEDDINGS_URL: endpoint.url,
    NOEMA_EMBEDDINGS_MODEL: 'words',
  })
  brain = await addBrain(app, await createMember(app), 'guide')
  const opened = new Promise<void>((resolve) => {
    openGate = resolve
  })
  endpoint.state.gate = ({ input }) => (input.some((text) => text.includes('Later:')) ? opened : undefined)
})
afterAll(async () => {
  openGate()
  await app.close()
  await endpoint.close()
})

const write = async (documents: Record<string, string>): Promise<void> => {
  const operations = Object.entries(documents).map(([id, text]) => ({ op: 'document.put', id, text }))
  expect((await brain.call('POST', '/batch', { operations })).status).toBe(200)
  await untilIndexed(app, brain)
}

const untilPending = (count: number) =>
  expect.poll(async () => (await brain.call('GET', '')).body.data.brain.indexing.pendingPassages).toBe(count)

const search = async (mode: string) => {
  const { body } = await brain.call('GET', `/search?mode=${mode}&limit=5&q=how are plugins encapsulated`)
  const { results, degraded = [] } = body.data
  return {
    ids: results.map(({ id }: { id: string }) => id),
    degraded: degraded.map(({ reason }: { reason: string }) => reason),
  }
}

/** The evidence of each item of a context. */
const readContext = async (query: string) => {
  const { items } = (await brain.call('POST', '/context', { query })).body.data
  return Object.fromEntries(items.map(({ id, evidence }: { id: string; evidence: string }) => [id, evidence]))
}

test('QRY-01 D-51 while a Brain is being embedded, hybrid search and context have what words find', async () => {
  const about = (index: number) => `a plugin of kind ${index} that serves files ${'from a folder '.repeat(index % 5)}`
  await write({
    ...Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`plugin-${index}`, about(index)])),
    ecosystem: 'plugins plugins plugins encapsulated',
  })
  await untilPending(0)
  await write({
    encapsulation:
      'Later: how plugins are encapsulated. A context holds the decorators of the plugins that are registered in it, and how they are inherited is told below.',
    start: 'Later: how to start a server.',
    inherited: 'Later: hooks are handed down.',
  })
  await untilPending(3)
  const byWords = await search('lexical')
  expect(byWords.ids[0]).toBe('encapsulation')
  expect((await search('hybrid')).ids[0]).toBe('encapsulation')
  expect((await search('hybrid')).degraded).toEqual(['not_yet_embedded'])
  expect(await readContext('how are hooks of encapsulated plugins inherited')).toMatchObject({
    encapsulation: 'strong',
    inherited: 'weak',
  })
  openGate()
  await untilPending(0)
  expect(await search('hybrid')).toMatchObject({ ids: expect.arrayContaining(['encapsulation']), degraded: [] })
})
