import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { addBrain, type TestApp, type TestBrain } from '../../../test/app.ts'
import { type EmbeddingsEndpoint, startEmbeddingsEndpoint } from '../../../test/embeddings-endpoint.ts'
import { useMember, useOwnApp } from '../../../test/harness.ts'
import { writeWordModel } from '../../../test/word-model.ts'
import { untilIndexed } from '../lexical-index/indexed.fixture.ts'

// This app embeds nothing: the nodes of the tests do, each with its own model.
const app = useOwnApp({ NOEMA_EMBEDDINGS: 'off' })
const member = useMember(app)

let endpoint: EmbeddingsEndpoint
let closing: (() => Promise<unknown>)[] = []
let brain: TestBrain
let brains = 0
beforeEach(async () => {
  endpoint = await startEmbeddingsEndpoint(96)
  // In these dimensions the words of the notes do not meet.
  endpoint.state.models = { newer: 48 }
  closing = [endpoint.close]
  brain = await addBrain(app, member, `notes-${++brains}`)
})
afterEach(async () => {
  endpoint.state.gate = undefined
  for (const close of closing.reverse()) await close()
  // The next test must not find passages of this one.
  await brain.call('DELETE', '')
  await sql`delete from vector_spaces`.execute(app.database.db)
})

type Node = Awaited<ReturnType<TestApp['startNode']>> & { stop: () => Promise<void> }

const startNode = async (settings: Record<string, string>): Promise<Node> => {
  const node = await app.startNode({ NOEMA_EMBEDDINGS: 'on', ...settings })
  let isClosed = false
  const stop = async () => {
    if (isClosed) return
    isClosed = true
    await node.close()
  }
  closing.push(stop)
  return { ...node, stop }
}

const toSettings = (model: string, { url } = endpoint) => ({
  NOEMA_EMBEDDINGS_URL: url,
  NOEMA_EMBEDDINGS_MODEL: model,
})

// Several nodes and models start here, which takes long on a slow machine.
const polling = { timeout: 100_000 }
vi.setConfig({ testTimeout: 240_000 })

const writeNotes = async (texts: readonly string[], from = 1): Promise<void> => {
  const operations = texts.map((text, at) => ({ op: 'document.put', id: `note-${from + at}`, text: `note ${text}` }))
  expect((await brain.call('POST', '/batch', { operations })).status).toBe(200)
  await untilIndexed(app, brain)
}

/** Counts the Brain's vectors by space. */
const countVectors = async () => {
  const { rows } = await sql<{ space: string; count: number }>`
    select space, count(*)::integer as count from passage_vectors join brains using (brain_id)
    where id = ${brain.brain.id} group by space order by space`.execute(app.database.db)
  return Object.fromEntries(rows.map(({ space, count }) => [space, count]))
}

const findAnswering = async () => {
  const { rows } = await sql<{ space: string }>`
    select space from answering_spaces join brains using (brain_id) where id = ${brain.brain.id}`.execute(
    app.database.db,
  )
  return rows[0]?.space
}

const untilAnswering = (space: string | RegExp) => expect.poll(findAnswering, polling).toMatch(space)

/** A node's search by meaning: the ids, the mode, and the missing parts. */
const search = async (node: Node, q: string, mode = 'semantic') => {
  const { body, status } = await node.request('GET', `${brain.path}/search?mode=${mode}&limit=3&q=${q}`, {
    key: brain.key,
  })
  expect(status, JSON.stringify(body)).toBe(200)
  const { results, degraded = [], mode: used } = body.data
  return {
    first: results[0]?.id,
    mode: used,
    degraded: degraded.map(({ reason }: { reason: string }) => reason),
  }
}

/** The texts in a model's requests. */
const textsFor = (model: string) => endpoint.asked.filter((call) => call.model === model).flatMap(({ input }) => input)

/** Delays a model's requests for the notes, call by call. */
const holdNotes = (model: string) => {
  const held: (() => void)[] = []
  endpoint.state.gate = (call) =>
    call.model === model && call.input.some((text) => text.startsWith('note'))
      ? new Promise((resolve) => held.push(resolve))
      : undefined
  return {
    /** Lets the next call pass, when it has come. */
    passOne: async () => {
      await expect.poll(() => held.length, polling).toBeGreaterThan(0)
      held.shift()?.()
    },
    isHolding: () => expect.poll(() => held.length, polling).toBeGreaterThan(0),
    open: () => {
      endpoint.state.gate = undefined
      for (const pass of held.splice(0)) pass()
    },
  }
}

const runWorker = async ({ workers }: Node, expected: string): Promise<void> => {
  const worker = workers.find(({ name }) => name === expected)
  if (!worker) throw new Error(`There is no worker to ${expected}.`)
  await worker.run()
}

const forget = (node: Node) => runWorker(node, 'forget unused spaces')

/** More than are embedded in one turn. */
const notes = ['the cat sleeps', 'the dog barks', 'a ship sails', ...Array<string>(70).fill('about thing')]

/** A Brain that a model has embedded, whose node has stopped. */
const embedWith = async (settings: Record<string, string>, space: string | RegExp, texts = notes): Promise<void> => {
  const node = await startNode(settings)
  await writeNotes(texts)
  await untilAnswering(space)
  await expect.poll(async () => Object.values(await countVectors())[0], polling).toBe(texts.length)
  await node.stop()
}

test('while another model embeds a Brain again the former one answers, for new items as well; then the new one answers all', async () => {
  await embedWith(toSettings('words'), 'words/96')
  const hold = holdNotes('newer')
  const node = await startNode(toSettings('newer'))
  await hold.isHolding()
  expect(await search(node, 'ship')).toEqual({ first: 'note-3', mode: 'semantic', degraded: [] })
  await writeNotes(['a plane flies'], notes.length + 1)
  await hold.passOne()
  // The next turn starts with the new texts.
  await hold.isHolding()
  expect(await search(node, 'plane')).toEqual({ first: `note-${notes.length + 1}`, mode: 'semantic', degraded: [] })
  expect(textsFor('words').at(-1)).toBe('plane')
  expect(await findAnswering()).toBe('words/96')
  const { body } = await node.request('GET', brain.path, { key: brain.key })
  expect(body.data.brain.indexing).toEqual({ pendingEvents: 0, pendingPassages: 0, secondsLeft: 0 })
  hold.open()
  await untilAnswering('newer/48')
  const asked = textsFor('words').length
  expect(await search(node, 'ship')).toEqual({ first: 'note-3', mode: 'semantic', degraded: [] })
  expect(await search(node, 'plane')).toMatchObject({ first: `note-${notes.length + 1}` })
  expect(textsFor('words')).toHaveLength(asked)
  app.clock.advance({ minutes: 10 })
  await forget(node)
  expect(await countVectors()).toEqual({ 'newer/48': notes.length + 1 })
  expect(textsFor('newer').filter((text) => text.startsWith('note'))).toHaveLength(notes.length + 1)
})

test('a node that dies in the middle is followed by another, which continues its work', async () => {
  await embedWith(toSettings('words'), 'words/96')
  const hold = holdNotes('newer')
  const first = await startNode(toSettings('newer'))
  await hold.passOne()
  await hold.isHolding()
  const stopping = first.stop()
  hold.open()
  await stopping
  app.clock.advance({ minutes: 3 })
  await startNode(toSettings('newer'))
  await untilAnswering('newer/48')
  const embedded = textsFor('newer').filter((text) => text === 'note the cat sleeps')
  expect(embedded).toHaveLength(1)
})

test('without the former model words answer, and the response says so, until the other one is done', async () => {
  await embedWith(toSettings('words'), 'words/96')
  const asked = endpoint.asked.length
  const other = await startEmbeddingsEndpoint(48)
  closing.push(other.close)
  const reader = await startNode({ ...toSettings('elsewhere', other), NOEMA_ROLES: 'http' })
  const byWords = { first: 'note-3', mode: 'lexical', degraded: ['meaning_unavailable'] }
  expect(await search(reader, 'ship')).toEqual(byWords)
  expect(await search(reader, 'ship', 'hybrid')).toEqual(byWords)
  await startNode(toSettings('elsewhere', other))
  await untilAnswering('elsewhere/48')
  expect(await search(reader, 'ship')).toEqual({ first: 'note-3', mode: 'semantic', degraded: [] })
  // No query goes to a server that the settings do not name.
  expect(endpoint.asked).toHaveLength(asked)
})

test('another model under the former name is not taken for it', async () => {
  await embedWith(toSettings('words'), 'words/96')
  endpoint.state.salt = 'another'
  const reader = await startNode({ ...toSettings('newer'), NOEMA_ROLES: 'http' })
  expect(await search(reader, 'ship')).toMatchObject({ mode: 'lexical', degraded: ['meaning_unavailable'] })
})

test('nodes with different settings do not fight: the one that started last decides, until none like it lives', async () => {
  const former = await startNode(toSettings('words'))
  await writeNotes(notes)
  await untilAnswering('words/96')
  const newer = await startNode(toSettings('newer'))
  await untilAnswering('newer/48')
  for (const node of [former, newer])
    expect(await search(node, 'ship')).toEqual({ first: 'note-3', mode: 'semantic', degraded: [] })
  // Minutes pass, in which each node works by its settings.
  for (let round = 1; round <= 2; round++) {
    app.clock.advance({ minutes: 4 })
    for (const node of [former, newer]) await runWorker(node, 'note the space of vectors')
    await writeNotes([`the hour ${round}`], 1_000 + round)
    await expect.poll(async () => (await countVectors())['newer/48'], polling).toBe(notes.length + round)
    await forget(newer)
    expect(await findAnswering()).toBe('newer/48')
  }
  await newer.stop()
  app.clock.advance({ minutes: 6 })
  await writeNotes(['the hour 3'], 1_003)
  await untilAnswering('words/96')
  // The former model may answer before it has embedded the last note.
  await expect.poll(async () => (await countVectors())['words/96'], polling).toBe(notes.length + 3)
  expect(await search(former, 'ship')).toEqual({ first: 'note-3', mode: 'semantic', degraded: [] })
})

test('going back in the middle needs nothing to be embedded again', async () => {
  await embedWith(toSettings('words'), 'words/96')
  const hold = holdNotes('newer')
  const newer = await startNode(toSettings('newer'))
  await hold.passOne()
  await hold.isHolding()
  const stopping = newer.stop()
  hold.open()
  await stopping
  const asked = textsFor('words').filter((text) => text.startsWith('note')).length
  const node = await startNode(toSettings('words'))
  await writeNotes(['a plane flies'], notes.length + 1)
  await expect.poll(async () => (await countVectors())['words/96'], polling).toBe(notes.length + 1)
  expect(textsFor('words').filter((text) => text.startsWith('note'))).toHaveLength(asked + 1)
  expect(await search(node, 'plane')).toMatchObject({ first: `note-${notes.length + 1}`, degraded: [] })
  app.clock.advance({ minutes: 10 })
  await forget(node)
  expect(await countVectors()).toEqual({ 'words/96': notes.length + 1 })
})

test('a model in a folder answers for a node that is set to another, until that has embedded everything', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'noema-models-'))
  closing.push(() => rm(folder, { recursive: true, force: true }))
  const one = await writeWordModel(join(folder, 'one'))
  const other = await writeWordModel(join(folder, 'other'), { dimensions: 24, seed: 7 })
  await embedWith({ NOEMA_EMBEDDING_MODEL: one }, /^onnx\/32\//, ['the cat sleeps', 'the dog barks', 'a ship sails'])
  const reader = await startNode({ NOEMA_EMBEDDING_MODEL: other, NOEMA_ROLES: 'http' })
  const byMeaning = { first: 'note-3', mode: 'semantic', degraded: [] }
  // A model that starts is not waited for by every search.
  await expect.poll(() => search(reader, 'ship'), polling).toEqual(byMeaning)
})
