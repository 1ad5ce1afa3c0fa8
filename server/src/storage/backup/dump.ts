import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import type pg from 'pg'
import { readDivision } from '../distribute.ts'
import { orderTables, quoteName, readMigrations, readSequences, readTables, type Sequence } from './catalog.ts'
import { copyOut } from './copy.ts'
import { createFrameWriter } from './frames.ts'

/** The form of backups that this version writes and reads. */
export const backupFormat = 1

/** The head of a backup. */
export type BackupHead = {
  noemaBackup: number
  /** Of Noema. */
  version: string
  createdAt: string
  /** The server's version. */
  postgres: string
  migrations: { number: number; checksum: string }[]
  sequences: Sequence[]
  /** The secret of the data folder; absent if the operator manages it, and then identified by its fingerprint. */
  secret?: string
  secretFingerprint: string
}

export type BackupTotals = { tables: number; rows: number }

const countRows = async (client: pg.Client, name: string): Promise<number> => {
  const { rows } = await client.query<{ count: string }>(`select count(*) as count from ${quoteName(name)}`)
  return Number(rows[0]?.count ?? 0)
}

const writeTables = async (
  client: pg.Client,
  output: Writable,
  about: Omit<BackupHead, 'noemaBackup' | 'postgres' | 'migrations' | 'sequences'>,
): Promise<BackupTotals> => {
  const writer = createFrameWriter(output)
  const { rows: servers } = await client.query<{ version: string }>(
    "select current_setting('server_version') as version",
  )
  // Sequences are outside transactions: they are read after the backup's snapshot is fixed, so they are never behind it.
  const stored = (await readTables(client)).filter(({ table }) => table !== 'schema_migrations')
  const tables = await orderTables(client, stored)
  const head: BackupHead = {
    noemaBackup: backupFormat,
    ...about,
    postgres: servers[0]?.version ?? '',
    migrations: await readMigrations(client),
    sequences: await readSequences(client),
  }
  await writer.writeJson('H', head)
  let rows = 0
  for (const { table, columns } of tables) {
    const count = await countRows(client, table)
    if (count === 0) continue
    rows += count
    await writer.writeJson('T', { table, columns, rows: count })
    await copyOut(client, `copy ${quoteName(table)} (${columns.map(quoteName).join(', ')}) to stdout`, writer.addRows)
    await writer.endRows()
  }
  const totals = { tables: tables.length, rows }
  await writer.end(totals)
  output.end()
  return totals
}

/** Fixes the moment on every server that tables are divided over: each keeps it on the one connection that reads there. */
const fixMoment = async (client: pg.Client): Promise<void> => {
  if (!(await readDivision(client)).some(({ isDivided }) => isDivided)) return
  await client.query('set local citus.max_adaptive_executor_pool_size to 1')
  await client.query('select count(*) from brains')
}

/**
 * Writes all tables as of one moment, while others continue to write: in one transaction that sees only what was committed
 * before it began.
 */
export const dumpDatabase = async (
  client: pg.Client,
  output: Writable,
  about: Parameters<typeof writeTables>[2],
): Promise<BackupTotals> => {
  await client.query('begin isolation level repeatable read read only')
  try {
    await fixMoment(client)
    const compressed = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 3 } })
    const written = pipeline(compressed, output)
    const dumped = writeTables(client, compressed, about).catch((error: unknown) => {
      compressed.destroy(error instanceof Error ? error : new Error(String(error)))
      throw error
    })
    const [totals] = await Promise.all([dumped, written])
    return totals
  } finally {
    await client.query('rollback').catch(() => undefined)
  }
}
