import { makeBatch } from './invoices.ts'
import type { Noema } from './noema.ts'
import type { ScratchDatabase } from './scratch-postgres.ts'

export const pageSize = 500
const batchSize = 1_000

type Stream = { brain: string; events: number }

/** Fills a new Brain with so many records through the front door, and answers its number. */
export const fillStream = async (
  noema: Noema,
  { pool }: ScratchDatabase,
  { brain, events }: Stream,
): Promise<number> => {
  await noema.call('PUT', `/v1/brains/${brain}`, {})
  for (let written = 0; written < events; written += batchSize)
    await noema.writeBatch(brain, makeBatch(Math.min(batchSize, events - written)).operations)
  // Autovacuum would do this a minute later.
  await pool.query('vacuum analyze')
  const { rows } = await pool.query<{ id: number }>('select brain_id as id from brains where handle = $1', [brain])
  return Number(rows[0]?.id)
}

type Page = { events: unknown[]; cursor: string; hasMore: boolean }

/** The path of every whole page of a stream, as a reader that follows the cursors asks for them. */
export const walkPages = async ({ call }: Pick<Noema, 'call'>, { brain, events }: Stream): Promise<string[]> => {
  const paths: string[] = []
  let seen = 0
  for (let path = `/v1/brains/${brain}/events?limit=${pageSize}`; ; ) {
    const page = await call<Page>('GET', path)
    if (page.events.length === pageSize) paths.push(path)
    seen += page.events.length
    if (!page.hasMore) break
    path = `/v1/brains/${brain}/events?limit=${pageSize}&after=${page.cursor}`
  }
  if (seen !== events) throw new Error(`${events} events were written, ${seen} were read`)
  return paths
}
