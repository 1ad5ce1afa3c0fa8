import { createEmbedder } from '../../server/src/features/retrieval/embedding/embedding.ts'
import { createLog } from '../../server/src/shared/log.ts'
import { untilReady } from '../parts/fill-brain.ts'
import { fillStream, pageSize, walkPages } from '../parts/fill-stream.ts'
import { createTexts } from '../parts/make-text.ts'
import { type Noema, startNoema } from '../parts/noema.ts'
import type { ScratchDatabase, ScratchPostgres } from '../parts/scratch-postgres.ts'
import { batchSize, type Filled, readBrain } from './cases.ts'

const events = 5_000
const documents = 300
const wordsInDocument = 40
const questionCount = 32
const wordsInQuestion = 3

/** A running Noema with its database and the number of the Brain that is read. */
export type Node = { noema: Noema; database: ScratchDatabase; brainId: number }

/** The checkout of a node, and the prefix of its databases. */
export type Tree = { name: string; folder: string }

const findBrain = async ({ pool }: ScratchDatabase, handle: string): Promise<number> => {
  const { rows } = await pool.query<{ id: number }>('select brain_id as id from brains where handle = $1', [handle])
  return Number(rows[0]?.id)
}

/** A node with a Brain of records and their events, and an empty one for writes. It does not embed texts. */
export const startPlainNode = async (postgres: ScratchPostgres, { name, folder }: Tree): Promise<Node> => {
  const database = await postgres.createEmptyDatabase(`${name}_plain`)
  const noema = await startNoema(database, undefined, { NOEMA_EMBEDDINGS: 'off' }, { tree: folder })
  const brainId = await fillStream(noema, database, { brain: 'reads', events: events - 1 })
  await noema.call(
    'PUT',
    `${readBrain}/records/known`,
    JSON.parse(JSON.stringify({ kind: 'invoice', fields: { number: 'INV-1', customer: 'Acme', amount: 1234.5 } })),
  )
  await noema.call('PUT', '/v1/brains/writes', {})
  await untilReady(noema, { name: 'reads', mode: 'lexical' })
  await database.pool.query('vacuum analyze')
  return { noema, database, brainId }
}

/** A node with the usual settings and a Brain of documents, all of them indexed and embedded. */
export const startSearchNode = async (postgres: ScratchPostgres, { name, folder }: Tree): Promise<Node> => {
  const database = await postgres.createEmptyDatabase(`${name}_search`)
  const noema = await startNoema(database, undefined, {}, { tree: folder })
  await noema.call('PUT', '/v1/brains/texts', {})
  const makeText = createTexts(1)
  for (let from = 0; from < documents; from += batchSize) {
    const count = Math.min(batchSize, documents - from)
    const operations = Array.from({ length: count }, () => ({ op: 'document.put', text: makeText(wordsInDocument) }))
    await noema.writeBatch('texts', operations)
  }
  await untilReady(noema, { name: 'texts' })
  await database.pool.query('vacuum analyze')
  return { noema, database, brainId: await findBrain(database, 'texts') }
}

/** Questions with their vectors, so that the floor of searches asks no model. */
export const makeQuestions = async (): Promise<Filled['questions']> => {
  const embedder = createEmbedder('local', { clock: { now: () => new Date() }, log: createLog('warn') })
  if (!embedder) throw new Error('there is no model')
  const makeText = createTexts(2)
  const texts = Array.from({ length: questionCount }, () => makeText(wordsInQuestion))
  const { vectors } = await embedder.embed(texts, 'query')
  await embedder.close()
  return texts.map((text, at) => {
    const { buffer, byteOffset, byteLength } = vectors[at] ?? new Float32Array()
    return { text, vector: Buffer.from(buffer, byteOffset, byteLength).toString('base64url') }
  })
}

/** Every whole page of the events of a node. */
export const listPages = async ({ noema }: Node): Promise<Filled['pages']> => {
  const paths = await walkPages(noema, { brain: 'reads', events })
  return paths.map((path, index) => ({ path, after: index * pageSize }))
}
