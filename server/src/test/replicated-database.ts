import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { createLog } from '../shared/log.ts'
import { programEnvironment } from '../storage/embedded/binaries.ts'
import { type Cluster, databaseName, databaseUser, describeCluster } from '../storage/embedded/cluster.ts'
import { createDatabase } from '../storage/embedded/create-database.ts'
import { signalProcess } from '../storage/embedded/processes.ts'
import { runAs } from '../storage/embedded/run-as.ts'
import { findFreePort } from './free-port.ts'

// A PostgreSQL and its standby with synchronous replication: commits are on both.

const pollMilliseconds = 20

const ask = async (port: number, statement: string) => {
  const client = new pg.Client({ host: '127.0.0.1', port, user: databaseUser, database: databaseName })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

/** Waits until a statement returns a row; throws if a server has stopped meanwhile. */
const untilFound = async (port: number, statement: string, server: ChildProcess): Promise<void> => {
  for (;;) {
    const rows = await ask(port, statement).catch(() => [])
    if (rows.length > 0) return
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode}`)
    await delay(pollMilliseconds)
  }
}

/** Hands a copy of the data files to the user that the server runs as. */
const giveAway = (cluster: Cluster, path: string): void => {
  const { account } = cluster
  if (!account) return
  chownSync(path, account.uid, account.gid)
  for (const below of readdirSync(path, { recursive: true, encoding: 'utf8' }))
    chownSync(join(path, below), account.uid, account.gid)
}

/** Suspends the processes of a server, as a frozen machine does, and returns their ids. */
const freeze = async (server: ChildProcess, port: number): Promise<number[]> => {
  const client = new pg.Client({ host: '127.0.0.1', port, user: databaseUser, database: databaseName })
  client.on('error', () => {})
  await client.connect()
  // First the one that starts others, so that none is missed.
  server.kill('SIGSTOP')
  const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity')
  const pids = rows.map(({ pid }) => pid)
  for (const pid of pids) signalProcess(pid, 'SIGSTOP')
  client.connection.stream.destroy()
  return pids
}

/** Starts both. */
export const startReplicatedDatabase = async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'noema-replicated-')))
  chmodSync(folder, 0o755)
  const cluster = await describeCluster(folder, { log: createLog('silent'), settings: { fsync: 'off' } })
  await createDatabase(cluster)
  writeFileSync(
    join(cluster.dataPath, 'pg_hba.conf'),
    'host all all 127.0.0.1/32 trust\nhost replication all 127.0.0.1/32 trust\n',
  )
  const [first, second] = [
    { path: cluster.dataPath, port: await findFreePort() },
    { path: join(folder, 'standby'), port: await findFreePort() },
  ]
  cpSync(first.path, second.path, { recursive: true })
  writeFileSync(join(second.path, 'standby.signal'), '')
  chmodSync(second.path, 0o700)
  giveAway(cluster, second.path)
  const children = new Set<ChildProcess>()
  const start = ({ path, port }: typeof first, more: Record<string, string>): ChildProcess => {
    const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off', ...more }
    const child = spawn(
      cluster.binaries.postgres,
      ['-D', path, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      { ...runAs(cluster.account), cwd: '/', env: programEnvironment, stdio: 'ignore' },
    )
    children.add(child)
    child.once('exit', () => children.delete(child))
    return child
  }
  const primary = start(first, { wal_keep_size: '256MB' })
  const standby = start(second, { primary_conninfo: `host=127.0.0.1 port=${first.port} user=${databaseUser}` })
  const waitForStandby = async (isWaiting: boolean) => {
    await ask(first.port, `alter system set synchronous_standby_names = '${isWaiting ? '*' : ''}'`)
    await ask(first.port, 'select pg_reload_conf()')
  }
  await untilFound(first.port, 'select 1', primary)
  await waitForStandby(true)
  await untilFound(first.port, `select 1 from pg_stat_replication where sync_state = 'sync'`, standby)
  let frozen: number[] = []
  const thaw = () => {
    for (const pid of frozen.splice(0)) signalProcess(pid, 'SIGCONT')
    primary.kill('SIGCONT')
  }
  const end = async (child: ChildProcess, signal: NodeJS.Signals) => {
    if (!children.has(child)) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
  return {
    /** The standby is named first: a client that uses the first host uses the wrong one. */
    url: `postgres://${databaseUser}@127.0.0.1:${second.port},127.0.0.1:${first.port}/${databaseName}`,
    /** Kills the primary. */
    killPrimary: () => end(primary, 'SIGKILL'),
    /** Stops the primary where it is. */
    freezePrimary: async () => {
      frozen = await freeze(primary, first.port)
    },
    /** Resumes it. It does not know of the promotion, and accepts writes without waiting for a standby. */
    wakePrimary: async () => {
      thaw()
      await waitForStandby(false)
    },
    /** The connections that nodes have to the host that was the primary at first. */
    listAtFormerPrimary: () =>
      ask(
        first.port,
        `select application_name, state, query from pg_stat_activity where application_name like 'noema%'`,
      ),
    /** The positions of the Brains on the former primary. */
    readFormerPrimary: () => ask(first.port, 'select handle, position, state_version from brains order by handle'),
    /** Makes the standby the primary. */
    promoteStandby: () => ask(second.port, 'select pg_promote()'),
    /** Starts the former primary unchanged: it does not know of the promotion. */
    startFormerPrimary: async () => {
      const former = start(first, { synchronous_standby_names: '' })
      await untilFound(first.port, 'select 1 where not pg_is_in_recovery()', former)
    },
    /** Breaks all connections to the new primary. */
    breakConnections: () =>
      ask(
        second.port,
        `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()
        and backend_type = 'client backend'`,
      ),
    close: async () => {
      thaw()
      await Promise.all([...children].map((child) => end(child, 'SIGQUIT')))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
