import { sql } from 'kysely'
import { expect } from 'vitest'
import type { TestApp, TestBrain } from '../../../test/app.ts'

/** Waits until every event of a Brain's stream is indexed, and returns the Brain's number. */
export const untilIndexed = async ({ database: { db } }: TestApp, { brain }: TestBrain): Promise<number> => {
  const behind = async () => {
    const { rows } = await sql<{ brainId: number; isBehind: boolean }>`
      select brain_id as "brainId", brains.position > coalesce(progress.position, 0) as "isBehind"
      from brains left join passage_progress as progress using (brain_id) where id = ${brain.id}`.execute(db)
    return rows[0]
  }
  await expect.poll(async () => (await behind())?.isBehind).toBe(false)
  return (await behind())?.brainId ?? 0
}
