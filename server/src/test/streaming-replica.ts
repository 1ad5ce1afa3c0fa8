import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect } from 'vitest'
import { copyDataFiles, writeLabels } from '../storage/embedded/base-backup.ts'
import type { EmbeddedPostgres } from '../storage/embedded/embedded-postgres.ts'
import { clearPlace, openHere, temporaryFolder } from '../storage/embedded/test-place.ts'

const toUrl = ({ connection: { host, port, user, database } }: EmbeddedPostgres): string =>
  `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`

const connect = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Copies the files of a running server, as the beginning of a standby. */
const copyServer = async (primary: EmbeddedPostgres, client: pg.Client, dataPath: string): Promise<void> => {
  await client.query("select pg_backup_start('replica', true)")
  await copyDataFiles(primary.dataPath, dataPath)
  const { rows } = await client.query('select labelfile from pg_backup_stop(false)')
  await writeLabels(dataPath, rows[0].labelfile, '')
  writeFileSync(join(dataPath, 'standby.signal'), '')
}

/** A PostgreSQL with a standby that streams from it, apart from the one of the run: these are whole servers. */
export const startReplicatedPostgres = async () => {
  const standbyFolder = temporaryFolder()
  const primary = await openHere(temporaryFolder(), { settings: { fsync: 'off', wal_keep_size: '64MB' } })
  const toPrimary = await connect(toUrl(primary))
  await copyServer(primary, toPrimary, join(standbyFolder, 'postgres'))
  const { host, port, user } = primary.connection
  const startStandby = () =>
    openHere(standbyFolder, {
      settings: {
        fsync: 'off',
        primary_conninfo: `host=${host} port=${port} user=${user}`,
        // Reads must not cancel a replay that the test paused.
        max_standby_streaming_delay: '-1',
      },
    })
  let standby = await startStandby()
  let toStandby = await connect(toUrl(standby))
  const ask = async (client: pg.Client, question: string, values: unknown[] = []) =>
    (await client.query(`select ${question} as answer`, values)).rows[0].answer
  return {
    url: toUrl(primary),
    replicaUrl: toUrl(standby),
    /** Waits until the standby shows all that the primary has committed. */
    catchUp: async () => {
      const end = await ask(toPrimary, 'pg_current_wal_lsn()::text')
      await expect.poll(() => ask(toStandby, 'pg_last_wal_replay_lsn() >= $1::pg_lsn', [end])).toBe(true)
    },
    /** The standby continues to receive and shows its current state. */
    pause: async () => {
      await toStandby.query('select pg_wal_replay_pause()')
      await expect.poll(() => ask(toStandby, 'pg_get_wal_replay_pause_state()')).toBe('paused')
    },
    resume: () => toStandby.query('select pg_wal_replay_resume()'),
    promote: () => ask(toStandby, 'pg_promote()'),
    stopStandby: () => standby.stop(),
    startStandby: async () => {
      standby = await startStandby()
      toStandby = await connect(toUrl(standby))
    },
    close: async () => {
      await toPrimary.end()
      await toStandby.end().catch(() => undefined)
      await clearPlace()
    },
  }
}

export type ReplicatedPostgres = Awaited<ReturnType<typeof startReplicatedPostgres>>
