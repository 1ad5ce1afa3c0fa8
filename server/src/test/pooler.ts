import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { runAs, serverAccount } from '../storage/embedded/run-as.ts'
import { findFreePort } from './free-port.ts'

// A real PgBouncer that gives each transaction another connection. Debian's package `pgbouncer` has it.

const program = process.env.NOEMA_PGBOUNCER ?? 'pgbouncer'
const pollMilliseconds = 20

/** Checks whether this machine has one. */
export const hasPooler = (): boolean =>
  spawnSync(program, ['--version'], { env: { PATH: `${process.env.PATH}:/usr/sbin` } }).status === 0

/** Starts one in front of a database: with fewer connections than the nodes have, so that they must share. */
export const startPooler = async (databaseUrl: string, connectQuery?: string) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'noema-pooler-')))
  chmodSync(folder, 0o755)
  const url = new URL(databaseUrl)
  const host = url.searchParams.get('host') ?? url.hostname
  const port = url.searchParams.get('port') ?? url.port
  const listenPort = await findFreePort()
  const query = connectQuery === undefined ? '' : ` connect_query='${connectQuery.replaceAll("'", "''")}'`
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    [
      '[databases]',
      `* = host=${host} port=${port || 5432} user=${url.username}${query}`,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1\nlisten_port = ${listenPort}\nunix_socket_dir =\nauth_type = any`,
      'pool_mode = transaction\ndefault_pool_size = 4\nmax_client_conn = 200',
    ].join('\n'),
  )
  const child = spawn(program, [file], {
    ...runAs(serverAccount()),
    ...{ cwd: '/', env: { PATH: `${process.env.PATH}:/usr/sbin` }, stdio: 'ignore' },
  })
  const exited = once(child, 'exit')
  const address = `postgres://${url.username}@127.0.0.1:${listenPort}${url.pathname}`
  for (let isThere = false; !isThere; await delay(pollMilliseconds)) {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}`)
    const client = new pg.Client({ connectionString: address })
    client.on('error', () => {})
    isThere = await client.connect().then(
      () => true,
      () => false,
    )
    await client.end().catch(() => undefined)
  }
  return {
    url: address,
    close: async () => {
      child.kill('SIGINT')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
