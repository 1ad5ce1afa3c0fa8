import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chmodSync, chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { programEnvironment } from '../server/src/storage/embedded/binaries.ts'
import { databaseUser } from '../server/src/storage/embedded/cluster.ts'
import { runAs, serverAccount } from '../server/src/storage/embedded/run-as.ts'
import { findCitus } from './find-citus.ts'

// A Citus cluster of this machine's own PostgreSQL: a coordinator and two workers. It ends with the processes in its folder.

const workers = 2
const pollMilliseconds = 20
const run = promisify(execFile)

const settings = {
  shared_preload_libraries: 'citus',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '300',
  max_prepared_transactions: '300',
  wal_level: 'logical',
  fsync: 'off',
  full_page_writes: 'off',
  // In the data folder, which is removed even where PostgreSQL is killed.
  dynamic_shared_memory_type: 'mmap',
}

type Server = { port: number; path: string; child?: ChildProcess }

/** Runs statements on a server, in the database that is there from the beginning. */
const ask = async ({ port }: Server, database: string, ...statements: string[]): Promise<void> => {
  const client = new pg.Client({ host: '127.0.0.1', port, user: databaseUser, database })
  client.on('error', () => {})
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Waits until a server answers; throws if it stops meanwhile. */
const waitFor = async (server: Server): Promise<void> => {
  for (;;) {
    const isUp = await ask(server, 'postgres').then(
      () => true,
      () => false,
    )
    if (isUp) return
    if (server.child?.exitCode !== null) throw new Error(`PostgreSQL stopped: see ${server.path}.log`)
    await delay(pollMilliseconds)
  }
}

const end = async ({ child }: Server, signal: NodeJS.Signals): Promise<void> => {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill(signal)
  await exit
}

/** `changed` replaces settings of the servers. */
type Options = { findPort(): Promise<number>; changed?: Readonly<Record<string, string>> }

/** Starts a cluster below a folder. The URL of its coordinator is without a database; `noema` there knows all servers. */
export const startCitusCluster = async (folder: string, { findPort, changed = {} }: Options) => {
  const programs = findCitus()
  if (programs === undefined)
    throw new Error('Citus is not installed: /usr/lib/postgresql/<version>/lib has no citus.so.')
  const account = serverAccount()
  const place = join(folder, 'citus')
  mkdirSync(place, { recursive: true })
  if (account) chownSync(place, account.uid, account.gid)
  chmodSync(place, 0o755)
  const asAccount = { ...runAs(account), cwd: '/', env: programEnvironment }
  const start = async (server: Server): Promise<void> => {
    const child = spawn(join(programs, 'bin', 'postgres'), ['-D', server.path, '-p', String(server.port)], {
      ...asAccount,
      stdio: 'ignore',
    })
    server.child = child
    await waitFor(server)
  }
  const create = async (index: number): Promise<Server> => {
    const server: Server = { port: await findPort(), path: join(place, String(index)) }
    const locale = ['--encoding=UTF8', '--locale=C', '--lc-ctype=C.UTF-8']
    const given = ['-D', server.path, '-U', databaseUser, '--auth=trust', '--no-sync', ...locale]
    await run(join(programs, 'bin', 'initdb'), given, asAccount)
    const log = { logging_collector: 'on', log_directory: place, log_filename: `${index}.log` }
    const lines = Object.entries({ ...settings, ...changed, ...log }).map(([name, value]) => `${name} = '${value}'\n`)
    appendFileSync(join(server.path, 'postgresql.conf'), lines.join(''))
    await start(server)
    await ask(server, 'postgres', 'create database noema')
    await ask(server, 'noema', 'create extension citus')
    return server
  }
  const servers = await Promise.all(Array.from({ length: workers + 1 }, (_, index) => create(index)))
  const [coordinator, ...others] = servers as [Server, ...Server[]]
  await ask(
    coordinator,
    'noema',
    `select citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`,
    ...others.map(({ port }) => `select citus_add_node('127.0.0.1', ${port})`),
  )
  return {
    url: `postgres://${databaseUser}@127.0.0.1:${coordinator.port}/?sslmode=disable`,
    ports: servers.map(({ port }) => port),
    /** The folder of each server, the coordinator's first. */
    paths: servers.map(({ path }) => path),
    end: (index: number, signal: NodeJS.Signals) => end(servers[index] as Server, signal),
    /** Adds a worker without shards. */
    addWorker: async () => {
      const server = await create(servers.length)
      servers.push(server)
      await ask(coordinator, 'noema', `select citus_add_node('127.0.0.1', ${server.port})`)
    },
    /** Starts a server that ended, at another port if one is given. */
    restart: (index: number, port = servers[index]?.port) => start(Object.assign(servers[index] as Server, { port })),
    stop: async () => {
      await Promise.all(servers.map((server) => end(server, 'SIGQUIT')))
    },
  }
}
