import { type Noema, startNoema } from './noema.ts'
import { openApp } from './open-app.ts'
import type { RealPassages } from './real-passages.ts'
import type { ScratchDatabase } from './scratch-postgres.ts'
import { timeIndexing } from './time-indexing.ts'

const documentsAtOnce = 1_000
const vectorsAtOnce = 5_000
const textsInSequence = 50

/** One document of a hundred can be filtered by each of these. */
export const rare = { source: 'archive', shelf: 'rare', since: '2026-01-01T00:00:00Z' }

/** The parts of a document that filters read. */
const toFiltered = (place: number) => {
  const isRare = (after: number) => place % 100 === after
  return {
    source: { name: isRare(0) ? rare.source : 'library' },
    metadata: { shelf: isRare(1) ? rare.shelf : 'open' },
    occurredAt: isRare(2) ? '2026-02-01T00:00:00Z' : '2025-02-01T00:00:00Z',
  }
}

/** Declares the key of metadata that searches filter by. */
const declareIndex = async ({ call }: Noema, path: string): Promise<void> => {
  const fields = [{ name: 'shelf', type: 'string', indexed: true }]
  const operations = [{ op: 'addKind', kind: 'document', fields }]
  const { change } = await call<{ change: { id: string } }>('POST', `${path}/schema/evolve`, {
    baseVersion: 0,
    operations,
  })
  await call('POST', `${path}/changes/${change.id}/decide`, { decision: 'approved' })
}

/** Writes as many documents of one passage each into a Brain, through the front door. */
const writeDocuments = async (database: ScratchDatabase, brain: string, size: number, { toText }: RealPassages) => {
  const noema = await startNoema(database, undefined, { NOEMA_EMBEDDINGS: 'off', NOEMA_ROLES: 'http' })
  await noema.call('PUT', `/v1/brains/${brain}`, {})
  await declareIndex(noema, `/v1/brains/${brain}`)
  for (let from = 0; from < size; from += documentsAtOnce) {
    const operations = Array.from({ length: Math.min(documentsAtOnce, size - from) }, (_, at) => ({
      ...{ op: 'document.put', id: `d${from + at}`, text: toText(from + at), ...toFiltered(from + at) },
      sequence: {
        id: `talk ${Math.floor((from + at) / textsInSequence)}`,
        position: (from + at) % textsInSequence,
      },
    }))
    await noema.writeBatch(brain, operations)
  }
  await noema.stop()
}

const countPassages = async ({ pool }: ScratchDatabase, brainId: number): Promise<number> => {
  const { rows } = await pool.query<{ count: number }>(
    'select count(*)::integer as count from passages where brain_id = $1',
    [brainId],
  )
  return rows[0]?.count ?? 0
}

/** Indexes all that is there, and answers how many passages a second. */
const indexAll = async (database: ScratchDatabase, brainId: number): Promise<number> => {
  const { deps, close } = await openApp(database.url, { NOEMA_EMBEDDINGS: 'off' })
  const seconds = await timeIndexing(deps)
  await close()
  return (await countPassages(database, brainId)) / seconds
}

/** Gives every passage its vector by bare SQL: the model would take hours for as many. */
const insertVectors = async ({ pool }: ScratchDatabase, brainId: number, passages: RealPassages): Promise<void> => {
  const size = await countPassages({ pool } as ScratchDatabase, brainId)
  for (let from = 0; from < size; from += vectorsAtOnce) {
    const places = Array.from({ length: Math.min(vectorsAtOnce, size - from) }, (_, at) => from + at)
    const columns = [places.map((place) => place + 1), places.map((place) => Buffer.from(passages.toVector(place)))]
    await pool.query(
      `insert into passage_vectors (brain_id, space, passage, vector)
       select $1, $2, * from unnest($3::bigint[], $4::bytea[])`,
      [brainId, passages.space, ...columns],
    )
  }
  const progress = 'insert into vector_progress (brain_id, space, passage) values ($1, $2, $3)'
  await pool.query(progress, [brainId, passages.space, size])
  await pool.query('vacuum analyze')
}

/** Fills a Brain with so many passages, and answers its number and how many passages were indexed in a second. */
export const fillPassages = async (
  database: ScratchDatabase,
  { brain, size, passages }: { brain: string; size: number; passages: RealPassages },
): Promise<{ brainId: number; indexedPerSecond: number }> => {
  await writeDocuments(database, brain, size, passages)
  const { rows } = await database.pool.query<{ id: number }>('select brain_id as id from brains where handle = $1', [
    brain,
  ])
  const brainId = Number(rows[0]?.id)
  const indexedPerSecond = await indexAll(database, brainId)
  await insertVectors(database, brainId, passages)
  return { brainId, indexedPerSecond }
}
