import type { ScratchDatabase } from '../parts/scratch-postgres.ts'

const tables = ['record_versions', 'changes', 'events']
const tolerance = 0.05

const meanRowBytes = async ({ pool }: ScratchDatabase, table: string): Promise<number> => {
  const { rows } = await pool.query(
    `select avg(octet_length(one::text)) as bytes from (select * from ${table} limit 500) as one`,
  )
  return Number(rows[0].bytes)
}

/**
 * Reports rows of a floor with another size than Noema's: then Noema writes other columns than when the floor was written,
 * and the floor must follow before the ratio is valid.
 */
export const differingRows = async (noema: ScratchDatabase, floor: ScratchDatabase): Promise<string[]> => {
  const found: string[] = []
  for (const table of tables) {
    const [mine, bare] = [await meanRowBytes(noema, table), await meanRowBytes(floor, table)]
    if (!(Math.abs(mine / bare - 1) <= tolerance))
      found.push(`${table}: Noema writes ${mine.toFixed(0)} bytes a row, the floor ${bare.toFixed(0)}`)
  }
  return found
}
