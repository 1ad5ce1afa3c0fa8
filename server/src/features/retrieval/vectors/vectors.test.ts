import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { App } from '../../../app.ts'
import { addBrain, createMember, startTestApp, type TestApp, type TestBrain } from '../../../test/app.ts'
import { type EmbeddingsEndpoint, startEmbeddingsEndpoint, status } from '../../../test/embeddings-endpoint.ts'
import { passageTexts } from '../lexical-index/lexical-index.ts'
import { acceptedPassages } from './vectors.fixture.ts'
import type { Vectors } from './vectors.ts'

let endpoint: EmbeddingsEndpoint
let app: TestApp
let member: Awaited<ReturnType<typeof createMember>>

const makeSettings = ({ url }: EmbeddingsEndpoint, model = 'words') => ({
  NOEMA_EMBEDDINGS: 'on',
  NOEMA_EMBEDDINGS_URL: url,
  NOEMA_EMBEDDINGS_MODEL: model,
})

beforeAll(async () => {
  endpoint = await startEmbeddingsEndpoint()
  app = await startTestApp(makeSettings(endpoint))
  member = await createMember(app)
})
afterAll(async () => {
  await app.close()
  await endpoint.close()
})

let closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing) await close()
  closing = []
  endpoint.asked.length = 0
  endpoint.state.answer = undefined
  endpoint.state.refuses = () => false
})

let brains = 0
const createNotes = () => addBrain(app, member, `notes-${++brains}`)

const polling = { timeout: 90_000 }

const startNode = async (env: Record<string, string> = {}): Promise<App> => {
  const node = await app.startNode(env)
  closing.unshift(node.close)
  return node.app
}

const toVectors = ({ deps }: Pick<App, 'deps'>): Vectors => {
  if (!deps.vectors) throw new Error('Embedding is off.')
  return deps.vectors
}

const findBrainId = async ({ brain }: TestBrain): Promise<number> => {
  const found = await sql<{ id: number }>`select brain_id as id from brains where id = ${brain.id}`.execute(
    app.database.db,
  )
  return Number(found.rows[0]?.id)
}

/** Counts a Brain's passages without a vector in a space. */
const pending = async (brainId: number, space = 'words/64'): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select last_passage - coalesce((select passage from vector_progress
      where brain_id = ${brainId} and space = ${space}), 0) as count
    from passage_progress where brain_id = ${brainId}`.execute(app.database.db)
  return Number(rows[0]?.count)
}

/** Waits until all that was written is split into passages, and those are embedded. */
const embedded = async (brainId: number, space?: string): Promise<void> => {
  const isIndexed = sql`select from brains join passage_progress as progress using (brain_id)
    where brain_id = ${brainId} and progress.position = brains.position`
  await expect.poll(async () => (await isIndexed.execute(app.database.db)).rows.length, polling).toBe(1)
  await expect.poll(() => pending(brainId, space), polling).toBe(0)
}

/** The texts of the passages that are nearest. */
const nearest = async (brainId: number, q: string, { node = app.app, count = 3 } = {}) => {
  const vectors = toVectors(node)
  const search = await vectors.openSearch(vectors.searchDeps.source, brainId, q)
  if (typeof search === 'string') return undefined
  const found = await search.findNearest(count, acceptedPassages())
  const passages = found.passages.map(({ passage }) => passage)
  const texts = await passageTexts(node.db, brainId, passages)
  return passages.map((passage) => texts.get(passage))
}

const selectRows = async (table: 'passage_vectors' | 'vector_progress', brainId: number) => {
  const { rows } = await sql<{ space: string; count: number }>`select space, count(*) as count from ${sql.table(table)}
    where brain_id = ${brainId} group by space order by space`.execute(app.database.db)
  return Object.fromEntries(rows.map(({ space, count }) => [space, Number(count)]))
}

const embeddedTexts = () => endpoint.asked.flatMap(({ input }) => input).filter((text) => text.startsWith('note'))

const writeNotes = async (brain: TestBrain, texts: readonly string[]): Promise<void> => {
  const operations = texts.map((text) => ({ op: 'document.put', id: text.split(' ').slice(0, 2).join('-'), text }))
  for (let at = 0; at < operations.length; at += 100)
    expect((await brain.call('POST', '/batch', { operations: operations.slice(at, at + 100) })).status).toBe(200)
}

test('a write is embedded after the commit, and every node finds it by its meaning', async () => {
  const brain = await createNotes()
  const other = await createNotes()
  await writeNotes(brain, ['note 1 the cat sleeps', 'note 2 the dog barks', 'note 3 a ship sails'])
  await writeNotes(other, ['note 9 the cat sleeps'])
  const brainId = await findBrainId(brain)
  await embedded(brainId)
  await embedded(await findBrainId(other))
  // The first search of a node waits only briefly for all vectors.
  await expect.poll(() => nearest(brainId, 'ship'), polling).toMatchObject({ 0: 'note 3 a ship sails', length: 3 })
  const node = await startNode({ NOEMA_ROLES: 'http' })
  await expect.poll(() => nearest(brainId, 'the cat', { node, count: 1 }), polling).toEqual(['note 1 the cat sleeps'])
  await writeNotes(brain, ['note 4 the cat and the cat'])
  await embedded(brainId)
  expect(await nearest(brainId, 'the cat', { node, count: 1 })).toEqual(['note 4 the cat and the cat'])
})

test('similarities are the same from memory and from the database, and none where there is no vector', async () => {
  const brain = await createNotes()
  await writeNotes(brain, ['note 1 the cat sleeps', 'note 2 the dog barks'])
  const brainId = await findBrainId(brain)
  await embedded(brainId)
  const vectors = toVectors(app.app)
  const { source } = vectors.searchDeps
  const open = () => vectors.openSearch(source, brainId, 'the cat')
  const [one, other] = [await open(), await open()]
  if (typeof one === 'string' || typeof other === 'string') throw new Error('There is no vector.')
  const stored = [...(await one.compare([1, 2, 3]))]
  const found = await other.findNearest(1, acceptedPassages())
  const kept = [...(await other.compare([1, 2, 3]))]
  expect(stored[0]).toBeGreaterThan(stored[1] ?? 1)
  expect(stored[2]).toBeNaN()
  expect(kept.map((value) => value.toFixed(5))).toEqual(stored.map((value) => value.toFixed(5)))
  expect(found).toEqual({ passages: [{ passage: 1, similarity: kept[0] }], pending: 0 })
})

test('changed and deleted items are no longer found, except at the state that had them', async () => {
  const brain = await createNotes()
  const brainId = await findBrainId(brain)
  const search = async (more = '') => {
    const { body } = await brain.call('GET', `/search?mode=semantic&q=the+cat${more}`)
    return body.data.results.map(({ snippet }: { snippet: { text: string } }) => snippet.text ?? snippet)
  }
  await writeNotes(brain, ['note 1 the cat sleeps', 'note 2 the dog barks'])
  await embedded(brainId)
  expect(await search()).toEqual(['note 1 the cat sleeps', 'note 2 the dog barks'])
  const { stateVersion } = (await brain.call('GET', '')).body.data.brain
  await writeNotes(brain, ['note 1 a ship sails'])
  await brain.call('DELETE', '/documents/note-2')
  await embedded(brainId)
  expect(await search()).toEqual(['note 1 a ship sails'])
  expect(await search(`&asOf=${stateVersion}`)).toEqual(['note 1 the cat sleeps', 'note 2 the dog barks'])
})

test('several nodes embed every passage once, however many there are', async () => {
  const brain = await createNotes()
  await startNode()
  await startNode()
  const texts = Array.from({ length: 1_200 }, (_, index) => `note ${index} about thing ${index % 50}`)
  await writeNotes(brain, texts)
  const brainId = await findBrainId(brain)
  await embedded(brainId)
  expect(embeddedTexts().sort()).toEqual([...texts].sort())
  expect(await selectRows('passage_vectors', brainId)).toEqual({ 'words/64': 1_200 })
})

test('a node that died while it embedded is followed by another when its lease ran out', async () => {
  const brain = await createNotes()
  const brainId = await findBrainId(brain)
  await sql`insert into brain_turns (brain_id, work, lease, due_at)
    values (${brainId}, 'embed', 'of a node that died', ${new Date(app.clock.now().getTime() + 60_000)})`.execute(
    app.database.db,
  )
  await writeNotes(brain, ['note 1 the cat sleeps'])
  await expect.poll(() => pending(brainId), polling).toBe(1)
  expect(embeddedTexts()).toEqual([])
  app.clock.advance({ seconds: 61 })
  await embedded(brainId)
  expect(await nearest(brainId, 'cat')).toEqual(['note 1 the cat sleeps'])
})

test('while the endpoint is away nothing fails: queries have no vector, passages wait, and all is made up for later', async () => {
  const brain = await createNotes()
  const brainId = await findBrainId(brain)
  await writeNotes(brain, ['note 1 the cat sleeps'])
  await embedded(brainId)
  const before = app.logLines.length
  endpoint.state.answer = status(503)
  expect(await nearest(brainId, 'cat')).toBeUndefined()
  const { mode, degraded } = (await brain.call('GET', '/search?q=cat')).body.data
  expect({ mode, degraded }).toEqual({
    mode: 'lexical',
    degraded: [{ reason: 'meaning_unavailable', message: expect.stringContaining('cannot be used for now') }],
  })
  await writeNotes(brain, ['note 2 the dog barks'])
  await expect.poll(() => pending(brainId), polling).toBe(1)
  endpoint.state.answer = undefined
  app.clock.advance({ minutes: 2 })
  await embedded(brainId)
  expect(await nearest(brainId, 'dog', { count: 1 })).toEqual(['note 2 the dog barks'])
  const reported = app.logLines.slice(before).filter((line) => line.includes('texts cannot be embedded'))
  expect(reported).toHaveLength(1)
})

test('a passage that the endpoint refuses for ever is passed over, and the others are embedded', async () => {
  const brain = await createNotes()
  const brainId = await findBrainId(brain)
  endpoint.state.refuses = (text) => text.includes('poison')
  await writeNotes(
    brain,
    Array.from({ length: 20 }, (_, index) => `note ${index} ${index === 7 ? 'poison' : 'cat'}`),
  )
  await embedded(brainId)
  expect(await selectRows('passage_vectors', brainId)).toEqual({ 'words/64': 19 })
  expect(app.logLines.filter((line) => line.includes('left without a vector'))).toHaveLength(1)
})

test('BRN-05 a deleted Brain leaves no vectors', async () => {
  const brain = await createNotes()
  const brainId = await findBrainId(brain)
  await writeNotes(brain, ['note 1 the cat sleeps'])
  await embedded(brainId)
  await brain.call('DELETE', '')
  await app.app.workers.find(({ name }) => name === 'erase deleted Brains')?.run()
  expect(await selectRows('passage_vectors', brainId)).toEqual({})
  expect(await selectRows('vector_progress', brainId)).toEqual({})
})

test('turned off, nothing is embedded and nothing is missed', async () => {
  const node = await startNode({ NOEMA_EMBEDDINGS: 'off' })
  expect(node.deps.vectors).toBeUndefined()
  expect(node.workers.map(({ name }) => name)).not.toContain('embed passages')
})
