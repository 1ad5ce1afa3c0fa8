import { execFile } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { findCitus } from '../../../../dev/find-citus.ts'
import { databaseUser } from '../../storage/embedded/cluster.ts'
import { runAs, serverAccount } from '../../storage/embedded/run-as.ts'
import { createRequester, type TestApp } from '../app.ts'
import { startCitusCluster } from '../citus-cluster.ts'
import { findFreePort } from '../free-port.ts'
import { createBrains, distributeAt, expectWhole, startMaking, startOn } from './citus-scene.ts'
import { verify } from './verify.ts'
import { type Acknowledged, type Place, sendOnce, startClients } from './writers.ts'

const run = promisify(execFile)

/** The servers archive next to their data. */
const archiving = {
  archive_mode: 'on',
  archive_command: 'mkdir -p "$(pwd).wal" && cp %p "$(pwd).wal/%f"',
}

const startCluster = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'noema-citus-'))
  chmodSync(folder, 0o755)
  const cluster = await startCitusCluster(folder, archiving)
  onTestFinished(async () => {
    await cluster.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const url = cluster.url.replace('/?', '/noema?')
  await distributeAt(url)
  return { ...cluster, url }
}

type Cluster = Awaited<ReturnType<typeof startCluster>>

const backUp = ({ paths, ports }: Cluster) =>
  Promise.all(
    paths.map((path, index) => {
      const given = [
        '-h',
        '127.0.0.1',
        '-p',
        String(ports[index]),
        '-U',
        databaseUser,
        '-D',
        `${path}.base`,
        '-c',
        'fast',
      ]
      const options = { ...runAs(serverAccount()), cwd: '/' }
      return run(join(findCitus() ?? '', 'bin', 'pg_basebackup'), given, options)
    }),
  )

/** Archives the log of every server up to now. */
const archive = async ({ database: { pool } }: TestApp, { paths, ports }: Cluster) => {
  const { rows } = await pool.query<{ port: number; file: string }>(
    `select nodeport as port, result as file from run_command_on_all_nodes('select pg_walfile_name(pg_switch_wal())')
     join pg_dist_node using (nodeid)`,
  )
  const files = rows.map(({ port, file }) => join(`${paths[ports.indexOf(port)]}.wal`, file))
  await expect.poll(() => files.length === ports.length && files.every((file) => existsSync(file))).toBe(true)
}

/** Asks a server in a new connection. */
const ask = async <Row extends object>(port: number, statement: string): Promise<Row[]> => {
  const client = new pg.Client(`postgres://${databaseUser}@127.0.0.1:${port}/noema`)
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}

/** Kills a server, and puts its base backup in the place of its data. */
const replaceData = async (cluster: Cluster, index: number, point: string) => {
  const path = cluster.paths[index] ?? ''
  await cluster.kill(index)
  rmSync(path, { recursive: true })
  renameSync(`${path}.base`, path)
  const signal = join(path, 'recovery.signal')
  writeFileSync(signal, '')
  const account = serverAccount()
  if (account) chownSync(signal, account.uid, account.gid)
  const lines = [
    `restore_command = 'cp "${path}.wal/%f" %p'`,
    `recovery_target_name = '${point}'`,
    `recovery_target_action = 'promote'`,
  ]
  appendFileSync(join(path, 'postgresql.auto.conf'), `${lines.join('\n')}\n`)
}

/** Restores every server at another address, the workers before the coordinator, and returns the URL of the cluster. */
const restore = async (cluster: Cluster, point: string): Promise<string> => {
  const indexes = [...cluster.paths.keys()].reverse()
  const ports: number[] = []
  for (const index of indexes) await replaceData(cluster, index, point)
  for (const index of indexes) {
    const port = await findFreePort()
    ports[index] = port
    await cluster.restart(index, port)
    await expect.poll(() => ask(port, 'select pg_is_in_recovery() as is')).toEqual([{ is: false }])
  }
  const coordinator = ports[0] ?? 0
  for (const [index, former] of cluster.ports.entries())
    await ask(
      coordinator,
      `select citus_update_node(nodeid, nodename, ${ports[index]}) from pg_dist_node where nodeport = ${former}`,
    )
  await ask(coordinator, 'select recover_prepared_transactions()')
  return cluster.url.replace(`:${cluster.ports[0]}/`, `:${coordinator}/`)
}

/** Sends every write again: one that is there gets its former answer. */
const sendAgain = async (place: Place, acknowledged: readonly Acknowledged[]): Promise<Acknowledged[]> => {
  const answers: Acknowledged[] = []
  for (const { write } of acknowledged) {
    const answer = await sendOnce(place, write)
    if (!answer) throw new Error(`${write.key} was not answered`)
    answers.push(answer)
  }
  return answers
}

const toFormer = (answers: readonly Acknowledged[]) => answers.map(({ status, text }) => ({ status, text }))

test('SCL-06 IDM-04 EVT-03 base backups of all servers are restored at other addresses to one point that was set during writes: every earlier write is there, streams have no gap, and every Brain is whole and writable', async ({
  skip,
}) => {
  skip(findCitus() === undefined, 'they need Citus for a PostgreSQL of this machine')
  const cluster = await startCluster()
  let app = await startOn(cluster.url)
  const brains = (await createBrains(app)).map(({ brain }) => brain)
  const [member] = brains
  if (!member) throw new Error('there is no Brain')
  const places = brains.map(({ path, key }): Place => ({ url: () => app.base, brainPath: path, secret: key }))
  const writers = places.map((place) => startClients(place, Math.random, 2, 20))
  const stopMaking = startMaking(app, member)
  const progress = () => Promise.all(writers.map((writer) => writer.progress(20)))
  await progress()
  await backUp(cluster)
  await progress()

  const counts = writers.map(({ acknowledged }) => acknowledged.length)
  await app.database.pool.query("select citus_create_restore_point('during-writes')")
  await progress()
  await Promise.all([...writers.map(({ stop }) => stop()), stopMaking()])
  await archive(app, cluster)
  await app.app.close()

  app = await startOn(await restore(cluster, 'during-writes'))
  await expectWhole(app)
  for (const [index, place] of places.entries()) {
    const { acknowledged } = writers[index] ?? { acknowledged: [] }
    const { body } = await createRequester(app.base)('GET', `${place.brainPath}/events?limit=1`, { key: place.secret })
    expect(body.data.events).toHaveLength(1)
    const answers = await sendAgain(place, acknowledged)
    const count = counts[index] ?? 0
    expect(toFormer(answers.slice(0, count))).toEqual(toFormer(acknowledged.slice(0, count)))
    await verify(place, answers)
  }
  const { body } = await app.request('GET', '/v1/brains?limit=500', { key: member.key })
  const names: string[] = body.data.brains.map(({ handle }: { handle: string }) => handle)
  expect(names.length).toBeGreaterThan(brains.length)
  for (const name of names) {
    const made = await app.request('POST', `/v1/brains/${name}/records`, { key: member.key, body: { kind: 'k' } })
    expect(made.status, `${name} ${JSON.stringify(made.body)}`).toBe(201)
  }
}, 600_000)
