import type { TestApp } from '../../test/app.ts'

type Node = { workers: TestApp['app']['workers'] }

/** Lets the buckets of requests fill up, and deletes them: `nodes` are those that answered requests. */
export const forgetRates = async ({ clock }: Pick<TestApp, 'clock'>, nodes: readonly Node[]): Promise<void> => {
  const run = async (name: string) => {
    for (const { workers } of nodes) await workers.find((worker) => worker.name === name)?.run()
  }
  // Uses of rates that no other node has heard of yet would count later, as taken then.
  await run('share rates')
  clock.advance({ minutes: 10 })
  await run('forget full rates')
}

/** Runs the workers until everything that ended is erased. `others` are nodes that answered requests, too. */
export const eraseAll = async (
  { app, clock, database }: Pick<TestApp, 'app' | 'clock' | 'database'>,
  others: readonly Node[] = [],
): Promise<void> => {
  const isLeft = async () => {
    const { rows } = await database.pool.query('select from erasures where erased_at is null limit 1')
    return rows.length > 0
  }
  for (let look = 0; look < 20 && (await isLeft()); look++) {
    for (const name of ['erase what has ended', 'erase deleted Brains'])
      await app.workers.find((worker) => worker.name === name)?.run()
    clock.advance({ seconds: 20 })
  }
  await forgetRates({ clock }, [app, ...others])
  if (await isLeft()) throw new Error('something that ended was not erased')
}

/** The tables with a row that holds a text, in any column. */
export const findRowsWith = async (
  { database: { pool } }: Pick<TestApp, 'database'>,
  text: string,
): Promise<string[]> => {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const { rows } = await pool.query(`select from "${name}" as row where strpos(row::text, $1) > 0 limit 1`, [text])
    if (rows.length > 0) found.push(name)
  }
  return found
}
