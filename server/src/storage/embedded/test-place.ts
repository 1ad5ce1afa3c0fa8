// Shared by the tests of this folder: data folders and processes that are removed after each test, even a failed one.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, openEmbeddedPostgres } from './embedded-postgres.ts'
import { hasEnded, readCommandLine } from './processes.ts'

const silent = { info: () => {}, warn: () => {}, error: () => {} }

const folders: string[] = []
const children: ChildProcess[] = []
const opened: EmbeddedPostgres[] = []

/** A temporary folder that the user PostgreSQL runs as can pass. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'noema-test-')))
  chmodSync(folder, 0o755)
  folders.push(folder)
  return folder
}

/** Opens the data folder here, without waiting for disks. */
export async function openHere(
  dataDir: string,
  more: Partial<EmbeddedPostgresOptions> = {},
): Promise<EmbeddedPostgres> {
  const options = { dataDir, log: silent, ownership: 'exclusive' as const, settings: { fsync: 'off' }, ...more }
  const postgres = await openEmbeddedPostgres(options)
  opened.push(postgres)
  return postgres
}

/** Opens the data folder in a separate process; `outcome` is the line that it prints. */
export function openElsewhere(dataDir: string, more: { ownership?: string; uid?: number; gid?: number } = {}) {
  const { ownership = 'exclusive', ...account } = more
  const child = spawn(process.execPath, [join(import.meta.dirname, 'open-and-wait.fixture.ts'), dataDir, ownership], {
    ...account,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  return { child, outcome: once(child.stdout, 'data').then(([chunk]) => String(chunk).trim()) }
}

/** Starts a program that is killed after the test, and returns its pid. */
export function startProgram(program: string, given: { arguments: string[]; uid?: number; gid?: number }): number {
  const { arguments: list, ...account } = given
  const child = spawn(program, list, { ...account, stdio: 'ignore' })
  children.push(child)
  return child.pid ?? 0
}

/** Kills the process as the system does when memory runs out, and waits until it is gone. */
export async function killHard(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

/** Runs one statement on a new connection, and returns the first row. */
export async function query(postgres: EmbeddedPostgres, sql: string): Promise<Record<string, unknown> | undefined> {
  const client = new Client({ ...postgres.connection, ssl: false })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rows[0]
  } finally {
    await client.end()
  }
}

/** The pid that the data folder's server has noted. */
export const recordedPid = (dataDir: string): number =>
  Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)

/** Kills every process and removes every folder of the test. */
export async function clearPlace(): Promise<void> {
  await Promise.all(children.splice(0).map(killHard))
  await Promise.all(opened.splice(0).map((postgres) => postgres.stop()))
  for (const folder of folders.splice(0)) {
    await endServersBelow(folder)
    rmSync(folder, { recursive: true, force: true })
  }
}

async function endServersBelow(folder: string): Promise<void> {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('postmaster.pid')) continue
    const pid = Number.parseInt(readFileSync(join(folder, name), 'utf8'), 10)
    if (!(await readCommandLine(pid))?.includes(`-D ${folder}`)) continue
    process.kill(pid, 'SIGQUIT')
    await hasEnded(pid, 10_000)
  }
}
