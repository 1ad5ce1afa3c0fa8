import { mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isSettings, type Settings } from '../client-files.ts'
import type { Context } from '../context.ts'

// A folder of files that wait to be worked on, one after the other by their names, which begin with their times. Any process may add
// one at any time; one process at a time works.

/** The most files and bytes that wait. Beyond them the oldest are dropped. */
const maxFiles = 2_000
const maxBytes = 64 * 1024 * 1024
/** A lock whose holder has not touched it for this long is taken over. */
const lockMilliseconds = 120_000

/** The folder of a hook's state; undefined without a home folder. */
export const findSpool = ({ env }: Pick<Context, 'env'>, name: string): string | undefined => {
  const base = env.XDG_STATE_HOME || (env.HOME && join(env.HOME, '.local', 'state'))
  return base ? join(base, 'noema', 'hooks', name) : undefined
}

const unlessMissing = <Value>(error: NodeJS.ErrnoException, value: Value): Value => {
  if (error.code === 'ENOENT') return value
  throw error
}

/** The files that wait, the first first. */
export const listWaiting = async (spool: string): Promise<string[]> => {
  const names = await readdir(spool).catch((error) => unlessMissing(error, []))
  return names.filter((name) => name.endsWith('.json')).sort()
}

let added = 0

/** Adds a file after those that wait. It appears whole or not at all. */
export const addWaiting = async (spool: string, content: object, now = Date.now()): Promise<void> => {
  await mkdir(spool, { recursive: true, mode: 0o700 })
  const number = String(added++).padStart(6, '0')
  const name = `${String(now).padStart(15, '0')}-${String(process.pid).padStart(8, '0')}-${number}`
  await writeFile(join(spool, `${name}.part`), JSON.stringify(content), { mode: 0o600 })
  await rename(join(spool, `${name}.part`), join(spool, `${name}.json`))
}

/** Reads a file that waits; undefined for one that is broken or gone. */
export const readWaiting = async (spool: string, name: string): Promise<Settings | undefined> => {
  try {
    const content: unknown = JSON.parse(await readFile(join(spool, name), 'utf8'))
    return isSettings(content) ? content : undefined
  } catch {
    return undefined
  }
}

export const removeWaiting = (spool: string, name: string): Promise<void> => rm(join(spool, name), { force: true })

/** Drops the oldest files beyond what may wait. */
export const boundSpool = async (spool: string): Promise<number> => {
  const names = (await listWaiting(spool)).reverse()
  let [files, bytes, dropped] = [0, 0, 0]
  for (const name of names) {
    const { size } = await stat(join(spool, name)).catch(() => ({ size: 0 }))
    files++
    bytes += size
    if (files <= maxFiles && bytes <= maxBytes) continue
    await removeWaiting(spool, name)
    dropped++
  }
  return dropped
}

const lockFile = (spool: string): string => join(spool, 'lock')

const tryLock = async (spool: string): Promise<boolean> => {
  try {
    const handle = await open(lockFile(spool), 'wx', 0o600)
    await handle.close()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Removes the lock of a process that died. Of several who try, one succeeds. */
const breakLock = async (spool: string): Promise<void> => {
  const { mtimeMs } = await stat(lockFile(spool)).catch(() => ({ mtimeMs: Date.now() }))
  if (Date.now() - mtimeMs < lockMilliseconds) return
  const taken = `${lockFile(spool)}-${process.pid}`
  await rename(lockFile(spool), taken).then(
    () => rm(taken, { force: true }),
    () => undefined,
  )
}

/** Works while no other process does; undefined if one is working. `touch` says that the work goes on. */
export const whileLocked = async <Value>(
  spool: string,
  work: (touch: () => Promise<void>) => Promise<Value>,
): Promise<Value | undefined> => {
  await mkdir(spool, { recursive: true, mode: 0o700 })
  if (!(await tryLock(spool))) {
    await breakLock(spool)
    if (!(await tryLock(spool))) return undefined
  }
  const touch = () => utimes(lockFile(spool), new Date(), new Date()).catch(() => undefined)
  try {
    return await work(touch)
  } finally {
    await rm(lockFile(spool), { force: true })
  }
}

/** The file of the offset up to which a session's transcript was read. */
const offsetFile = (spool: string, session: string): string =>
  join(spool, 'sessions', Buffer.from(session).toString('base64url').slice(0, 200))

export const readOffset = async (spool: string, session: string): Promise<number> => {
  const text = await readFile(offsetFile(spool, session), 'utf8').catch(() => '0')
  return /^\d{1,15}$/.test(text) ? Number(text) : 0
}

export const writeOffset = async (spool: string, session: string, offset: number): Promise<void> => {
  const file = offsetFile(spool, session)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(`${file}.part`, String(offset), { mode: 0o600 })
  await rename(`${file}.part`, file)
}

const keptDays = 30

/** Forgets sessions that ended long ago. */
export const dropOldSessions = async (spool: string): Promise<void> => {
  const folder = join(spool, 'sessions')
  for (const name of await readdir(folder).catch(() => [])) {
    const { mtimeMs } = await stat(join(folder, name)).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > keptDays * 86_400_000) await rm(join(folder, name), { force: true })
  }
}
