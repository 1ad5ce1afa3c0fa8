import { expect, test } from 'vitest'
import { useBrain, useOwnApp } from '../../../test/harness.ts'
import { runPass } from '../../../test/run-pass.ts'
import type { Embedder } from '../embedding/types.ts'
import { createPassageIndexer } from '../lexical-index/indexer.ts'
import { createSpacePoll } from '../vectors/claim-spaces.ts'
import { createEmbedding } from '../vectors/embed-passages.ts'

// No node works in the background.
const app = useOwnApp({ NOEMA_ROLES: 'http', NOEMA_EMBEDDINGS: 'on' })
const brain = useBrain(app)

const space = 'model/8'
const embedder: Embedder = {
  space: async () => space,
  embed: async (texts) => {
    app.clock.advance({ seconds: 2 * texts.length })
    return { space, vectors: texts.map(() => new Float32Array(8).fill(1)) }
  },
  close: async () => undefined,
}

const readIndexing = async () => (await brain.call('GET', '')).body.data.brain.indexing

test('D-20 a Brain shows its readers the pending work of its search index', async () => {
  const { deps } = app.app
  const indexer = createPassageIndexer(deps)
  expect(await readIndexing()).toEqual({ pendingEvents: 0, pendingPassages: 0, secondsLeft: 0 })
  for (const id of ['a', 'b']) await brain.call('PUT', `/records/${id}`, { kind: 'note', fields: { text: id } })
  expect(await readIndexing()).toEqual({ pendingEvents: 2, pendingPassages: 0, secondsLeft: 0 })
  await runPass(deps, indexer.work)
  expect(await readIndexing()).toEqual({ pendingEvents: 0, pendingPassages: 2, secondsLeft: null })
  const { vectors } = deps
  if (!vectors) throw new Error('Embedding is off.')
  const pollSpaces = createSpacePoll({ ...deps, embedder, source: { is: 'endpoint', model: 'model' } })
  await runPass(deps, createEmbedding({ ...deps, embedder, pollSpaces, formers: vectors.formers, pace: vectors.pace }))
  expect(await readIndexing()).toEqual({ pendingEvents: 0, pendingPassages: 0, secondsLeft: 0 })
  await brain.call('PUT', '/records/c', { kind: 'note', fields: { text: 'c' } })
  await runPass(deps, indexer.work)
  expect(await readIndexing()).toEqual({ pendingEvents: 0, pendingPassages: 1, secondsLeft: 2 })
  app.clock.advance({ minutes: 2 })
  expect(await readIndexing()).toMatchObject({ pendingPassages: 1, secondsLeft: null })
  await indexer.close()
})

test('D-20 with search by meaning turned off, no passage waits for it', async () => {
  const node = await app.startNode({ NOEMA_EMBEDDINGS: 'off' })
  const { body } = await node.request('GET', brain.path, { key: brain.key })
  expect(body.data.brain.indexing).toEqual({ pendingEvents: 0, pendingPassages: 0, secondsLeft: 0 })
})
