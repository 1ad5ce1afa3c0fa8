import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from '../database.ts'

// The database stores the time of its last backup, so that every node reports the same one. Backups by the operator's own
// tools are not known.

export type LastBackup = { kind: 'file' | 'base'; madeAt: Date; bytes: number }

const upsertBackup = (client: pg.Client, { kind, madeAt, bytes }: LastBackup) =>
  client.query(
    `insert into last_backups (kind, made_at, bytes) values ($1, $2, $3)
     on conflict (kind) do update set made_at = excluded.made_at, bytes = excluded.bytes`,
    [kind, madeAt, bytes],
  )

/**
 * Records a complete backup; false if that is impossible, as in a database of an earlier version. It contains everything
 * that was written before `madeAt`.
 */
export const recordBackup = async (client: pg.Client, backup: LastBackup): Promise<boolean> =>
  upsertBackup(client, backup).then(
    () => true,
    () => false,
  )

/** Deletes the records of base backups after the files of the database were replaced. */
export const forgetBaseBackup = async (client: pg.Client): Promise<void> => {
  await client.query("delete from last_backups where kind = 'base'")
}

/** The newest backup of each kind, the newest first; none where there was none or the database is older than the table. */
export const selectLastBackups = async (db: Db): Promise<LastBackup[]> => {
  const { rows: tables } = await sql<{ isThere: boolean }>`
    select to_regclass('last_backups') is not null as "isThere"`.execute(db)
  if (!tables[0]?.isThere) return []
  const { rows } = await sql<LastBackup>`
    select kind, made_at as "madeAt", bytes from last_backups order by made_at desc, kind`.execute(db)
  return rows
}

type LogArchive = { lastSuccess: Date | null; failing: boolean }

/** Reads the archiving figures of the write-ahead log since the server's statistics were last reset; undefined if it is off. */
export const selectLogArchive = async (db: Db): Promise<LogArchive | undefined> => {
  const { rows } = await sql<LogArchive>`
    select last_archived_time as "lastSuccess",
      coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as failing
    from pg_stat_archiver where current_setting('archive_mode') <> 'off'`.execute(db)
  return rows[0]
}
