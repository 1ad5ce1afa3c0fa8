import { pipeline, type Readable } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import type pg from 'pg'
import { readDivision } from '../distribute.ts'
import { quoteName, readTables, type StoredTable, setSequence } from './catalog.ts'
import { copyIn } from './copy.ts'
import type { BackupHead, BackupTotals } from './dump.ts'
import { DamagedBackup, type Frame, NotABackup, readFrames } from './frames.ts'

/** A backup that is being read: its head, then its tables in their order. */
export type OpenBackup = { head: BackupHead; frames: AsyncGenerator<Frame> }

type TableFrame = StoredTable & { rows: number }

/** The code of an error of decompression; undefined for other errors. */
const findCompressionCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && /^(ZSTD_|Z_)/.test(error.code)
    ? error.code
    : undefined

/** The code where a file does not begin as one of Zstandard. */
const unknownBeginning = 'ZSTD_error_prefix_unknown'

/** A file of Zstandard that was cut or changed. Some of it may have been read before the error appears. */
class CutBackup extends DamagedBackup {}

async function* readCompressed(input: Readable): AsyncGenerator<Frame> {
  // The last stream throws the errors of all.
  const decompressed = pipeline(input, createZstdDecompress(), () => undefined)
  try {
    yield* readFrames(decompressed)
  } catch (error) {
    const code = findCompressionCode(error)
    if (code === undefined) throw error
    throw code === unknownBeginning ? new NotABackup() : new CutBackup('it cannot be decompressed')
  }
}

/** Begins to read a backup. Throws where it is none. */
export const openBackup = async (input: Readable): Promise<OpenBackup> => {
  const frames = readCompressed(input)
  const first = await frames.next().catch((error: unknown) => {
    throw error instanceof DamagedBackup && !(error instanceof CutBackup) ? new NotABackup() : error
  })
  if (first.done || first.value.type !== 'H') throw new NotABackup()
  return { head: JSON.parse(first.value.content.toString()), frames }
}

/** Reads a backup to its end, and thereby its checksum, without restoring it. */
export const verifyFrames = async ({ frames }: OpenBackup): Promise<BackupTotals> => {
  const totals = { tables: 0, rows: 0 }
  for await (const { type, content } of frames) {
    if (type !== 'T') continue
    const table: TableFrame = JSON.parse(content.toString())
    totals.tables += 1
    totals.rows += table.rows
  }
  return totals
}

type Loading = { chunks: AsyncIterable<Buffer>; isDivided: boolean }

const loadTable = async (client: pg.Client, { table, columns, rows }: TableFrame, { chunks, isDivided }: Loading) => {
  const name = quoteName(table)
  // Triggers derive rows that are in the backup themselves. Tables that are divided over several servers have none.
  if (!isDivided) await client.query(`alter table ${name} disable trigger user`)
  const copied = await copyIn(client, `copy ${name} (${columns.map(quoteName).join(', ')}) from stdin`, chunks)
  if (!isDivided) await client.query(`alter table ${name} enable trigger user`)
  if (copied !== rows) throw new DamagedBackup(`${table} has ${copied} rows in place of ${rows}`)
}

/** Loads every table; the tables must be there, as the migrations of the backup make them. */
const loadTables = async (
  client: pg.Client,
  { frames }: OpenBackup,
  divided: ReadonlySet<string>,
): Promise<BackupTotals> => {
  const known = new Set((await readTables(client)).map(({ table }) => table))
  const totals = { tables: 0, rows: 0 }
  let next = await frames.next()
  async function* rows() {
    for (;;) {
      next = await frames.next()
      if (next.done || next.value.type !== 'D') return
      yield next.value.content
    }
  }
  while (!next.done) {
    const table: TableFrame = JSON.parse(next.value.content.toString())
    if (next.value.type !== 'T' || !known.has(table.table))
      throw new DamagedBackup(`it has a table ${table.table}, which Noema has not`)
    await loadTable(client, table, { chunks: rows(), isDivided: divided.has(table.table) })
    totals.tables += 1
    totals.rows += table.rows
  }
  return totals
}

/** Replaces the state after the migrations with the content of a backup, all or nothing. */
export const loadBackup = async (client: pg.Client, backup: OpenBackup): Promise<BackupTotals> => {
  await client.query('begin')
  try {
    const divided = new Set((await readDivision(client)).flatMap(({ table, isDivided }) => (isDivided ? table : [])))
    // All tables in one transaction need one connection to each server.
    if (divided.size > 0) await client.query("set local citus.multi_shard_modify_mode to 'sequential'")
    const tables = (await readTables(client)).filter(({ table }) => table !== 'schema_migrations')
    await client.query(`truncate ${tables.map(({ table }) => quoteName(table)).join(', ')}`)
    const totals = await loadTables(client, backup, divided)
    for (const sequence of backup.head.sequences) await setSequence(client, divided.size > 0, sequence)
    await client.query('commit')
    return totals
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}
