import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { findCitus } from '../../../dev/find-citus.ts'
import { runAs, serverAccount } from '../storage/embedded/run-as.ts'
import { findFreePort } from './free-port.ts'
import { killProcesses } from './guardian/run-folder.ts'

// A Citus cluster under Patroni, with the files of deploy/patroni: a coordinator and a worker with a standby each, and a worker without.

const files = join(import.meta.dirname, '../../../deploy/patroni')
const layout = { 'coordinator-a': 0, 'coordinator-b': 0, 'worker-1-a': 1, 'worker-1-b': 1, 'worker-2-a': 2 }
const groups = [...new Set(Object.values(layout))]
const host = '127.0.0.1'
const password = 'secret'
const pollMilliseconds = 100

type Server = { name: string; group: number; port: number; restPort: number; folder: string; child?: ChildProcess }

/** A server of a group, as Patroni reports it. */
type Member = { name: string; role: string; state: string; port: number }

const hasProgram = (name: string): boolean => spawnSync(name, ['--version']).status === 0

/** The reason why this machine cannot run such a cluster, if there is one. */
export const findMissing = (): string | undefined => {
  if (findCitus() === undefined) return 'Citus for a PostgreSQL of this machine'
  const missing = ['patroni', 'etcd'].find((name) => !hasProgram(name))
  return missing && `the program ${missing}`
}

/** Runs statements as the superuser, and returns the rows of the last one. */
const askAt = async (port: number, ...statements: string[]): Promise<unknown[]> => {
  const client = new pg.Client({ host, port, user: 'postgres', password, database: 'noema' })
  client.on('error', () => {})
  await client.connect()
  try {
    let rows: unknown[] = []
    for (const statement of statements) ({ rows } = await client.query(statement))
    return rows
  } finally {
    await client.end()
  }
}

/** The state of a group, from any of its servers that answers. */
const readMembers = async (servers: readonly Server[], group: number): Promise<Member[]> => {
  const answers = servers
    .filter((server) => server.group === group)
    .map(async ({ restPort }) => {
      const answer = await fetch(`http://${host}:${restPort}/cluster`, { signal: AbortSignal.timeout(2_000) })
      return (await answer.json()) as { members: Member[] }
    })
  return (await Promise.any(answers)).members
}

/** Polls until something is found: a state of other processes, which a test cannot await. */
const untilFound = async <Found>(find: () => Promise<Found | undefined>): Promise<Found> => {
  for (;;) {
    const found = await find().catch(() => undefined)
    if (found !== undefined) return found
    await delay(pollMilliseconds)
  }
}

/** Starts programs as the user that runs PostgreSQL, each in its own folder. */
const createLauncher = () => {
  const account = serverAccount()
  return {
    make: (folder: string): void => {
      mkdirSync(folder)
      if (account) chownSync(folder, account.uid, account.gid)
    },
    launch: (program: string, given: readonly string[], folder: string, env: Record<string, string> = {}) => {
      const log = openSync(`${folder}.log`, 'a')
      return spawn(program, given, {
        ...runAs(account),
        ...{ cwd: folder, env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', log, log] },
      })
    },
  }
}

type Launcher = ReturnType<typeof createLauncher>

const startEtcd = async ({ make, launch }: Launcher, folder: string) => {
  make(folder)
  const address = `${host}:${await findFreePort()}`
  const url = `http://${address}`
  const given = ['--data-dir', folder, '--listen-client-urls', url, '--advertise-client-urls', url]
  const child = launch('etcd', [...given, '--listen-peer-urls', `http://${host}:${await findFreePort()}`], folder)
  return { address, child }
}

/** The variables that server.env names, with the values of this server and one password. */
const toEnvironment = ({ name, group, port, restPort }: Server, etcd: string): Record<string, string> => {
  const values: Record<string, string> = {
    PATRONI_NAME: name,
    PATRONI_CITUS_GROUP: String(group),
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${host}:${port}`,
    PATRONI_RESTAPI_CONNECT_ADDRESS: `${host}:${restPort}`,
    PATRONI_ETCD3_HOSTS: etcd,
  }
  const names = readFileSync(join(files, 'server.env'), 'utf8').matchAll(/^(\w+)=/gm)
  return Object.fromEntries([...names].map(([, variable = '']) => [variable, values[variable] ?? password]))
}

/** All servers are on one machine here: each has its own ports and folders. */
const toPlaces = ({ port, restPort, folder }: Server): Record<string, string> => ({
  PATRONI_POSTGRESQL_LISTEN: `${host}:${port}`,
  PATRONI_RESTAPI_LISTEN: `${host}:${restPort}`,
  PATRONI_POSTGRESQL_DATA_DIR: join(folder, 'data'),
  PATRONI_POSTGRESQL_BIN_DIR: join(findCitus() ?? '', 'bin'),
  PATRONI_POSTGRESQL_PGPASS: join(folder, 'pgpass'),
})

/** Copies the configuration, with a folder for sockets, and for shared memory that must not outlive a killed server. */
const copySettings = ({ make }: Launcher, folder: string): string => {
  const sockets = join(folder, 'sockets')
  make(sockets)
  const text = readFileSync(join(files, 'patroni.yml'), 'utf8')
  const path = join(folder, 'patroni.yml')
  writeFileSync(path, text.replace('/var/run/postgresql', `${sockets}\n    dynamic_shared_memory_type: mmap`))
  return path
}

/** Makes the role of Noema, as docs/scaling.md says. */
const addRole = async (ports: readonly number[]): Promise<void> => {
  const [coordinator = 0] = ports
  await untilFound(async () => {
    const known = await askAt(coordinator, 'select from pg_dist_node')
    return known.length === ports.length ? known : undefined
  })
  await askAt(coordinator, `create role noema login password '${password}'`, 'alter database noema owner to noema')
  for (const port of ports)
    await askAt(port, `insert into pg_dist_authinfo values (0, 'noema', 'password=${password}')`)
}

/** Starts a cluster below a folder, and waits until each group has all of its servers. */
export const startPatroniCluster = async (folder: string) => {
  chmodSync(folder, 0o755)
  const launcher = createLauncher()
  const etcd = await startEtcd(launcher, join(folder, 'etcd'))
  const settings = copySettings(launcher, folder)
  const servers: Server[] = []
  const start = (server: Server): void => {
    launcher.make(server.folder)
    const env = { ...toEnvironment(server, etcd.address), ...toPlaces(server) }
    server.child = launcher.launch('patroni', [settings], server.folder, env)
  }
  for (const [name, group] of Object.entries(layout)) {
    const [port, restPort] = [await findFreePort(), await findFreePort()]
    const server = { name, group, port, restPort, folder: join(folder, name) }
    servers.push(server)
    start(server)
  }
  const find = (name: string) => servers.find((server) => server.name === name)
  const findPrimary = (group: number) =>
    untilFound(async () => {
      const members = await readMembers(servers, group)
      return find(members.find(({ role, state }) => role === 'leader' && state === 'running')?.name ?? '')
    })
  /** Waits until every other server of a group has each commit. */
  const waitForStandby = (group: number) =>
    untilFound(async () => (await readMembers(servers, group)).find(({ role }) => role === 'sync_standby'))
  const primaries = await Promise.all(groups.map(findPrimary))
  await Promise.all([0, 1].map(waitForStandby))
  await addRole(primaries.map(({ port }) => port))
  const hosts = servers.filter(({ group }) => group === 0).map(({ port }) => `${host}:${port}`)
  return {
    url: `postgres://noema:${password}@${hosts}/noema?application_name=tests`,
    findPrimary,
    waitForStandby,
    /** Kills the primary of a group, and deletes its data. Its Patroni continues. */
    loseDisk: async (group: number) => {
      const data = join((await findPrimary(group)).folder, 'data')
      process.kill(Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10), 'SIGKILL')
      rmSync(data, { recursive: true, force: true, maxRetries: 10 })
    },
    /** Kills the primary of a group with its Patroni, deletes its data, and returns a function that starts the machine again. */
    loseMachine: async (group: number) => {
      const server = await findPrimary(group)
      await killProcesses(server.folder)
      rmSync(server.folder, { recursive: true, force: true })
      return () => start(server)
    },
    stop: () => killProcesses(folder),
  }
}
