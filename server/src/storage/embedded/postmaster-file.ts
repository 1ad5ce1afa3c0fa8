import { randomBytes } from 'node:crypto'
import { link, open, readFile, readlink, rename, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { toErrorCode } from './file-errors.ts'
import { isTaken, readCommandLine } from './processes.ts'
import { socketPort } from './socket-folder.ts'

/** A PostgreSQL that is running on a data path. */
export type Postmaster = {
  pid: number
  commandLine: string
  /** The folder of its socket, and the port that names it. */
  host: string
  port: number
}

/** Another machine or container serves this data path: its socket answers, but its process is not among ours. */
export class ServedElsewhere extends Error {}

const readNote = (dataPath: string) => readFile(join(dataPath, 'postmaster.pid'), 'utf8').catch(() => '')

const toPid = (note: string) => Math.abs(Number.parseInt(note, 10))

/** The pid of the server that has the data path or had it last; `NaN` where none is noted. */
export const readRecordedPid = async (dataPath: string): Promise<number> => toPid(await readNote(dataPath))

/** Finds the server that runs on the data path, if any; corrects a `postmaster.pid` that names another program. */
export async function findPostmaster(dataPath: string, socketFolder: string): Promise<Postmaster | undefined> {
  const note = await readNote(dataPath)
  const pid = toPid(note)
  if (!pid) return undefined
  // The file is written line by line while the server starts.
  const [, , , portLine = '', hostLine = ''] = note.split('\n')
  const host = hostLine || socketFolder
  const port = Number(portLine) || socketPort
  const commandLine = await readCommandLine(pid)
  if (commandLine !== undefined && (await serves(pid, commandLine, dataPath))) return { pid, commandLine, host, port }
  if (await answers(join(host, `.s.PGSQL.${port}`))) throw new ServedElsewhere()
  if (pid !== process.pid && isTaken(pid)) {
    await disown(join(dataPath, 'postmaster.pid'), pid)
    await disown(join(host, `.s.PGSQL.${port}.lock`), pid)
  }
  return undefined
}

async function serves(pid: number, commandLine: string, dataPath: string): Promise<boolean> {
  // "postgres: ..." is the title of a server's children, some of which can outlive it for a moment.
  if (!/postgres|postmaster/.test(commandLine) || commandLine.startsWith('postgres: ')) return false
  if (`${commandLine} `.includes(` -D ${dataPath} `)) return true
  // Someone may have started it by hand, naming the folder in another way.
  return (await readlink(`/proc/${pid}/cwd`).catch(() => '')) === dataPath
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath)
    socket.on('error', () => resolve(false))
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}

/** Overwrites the content of a file. On a full disk this works; truncating it first would leave it empty. */
async function overwrite(path: string, text: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    const { bytesWritten } = await file.write(text, 0)
    await file.truncate(bytesWritten)
  } finally {
    await file.close()
  }
}

// Pids repeat in containers, and dead processes are not always reaped there; PostgreSQL does not start while a process of
// its own user has the recorded pid. Removing the file would also remove PostgreSQL's record of the shared memory of
// children that outlived a crash. So the file stays and names us, because PostgreSQL ignores the pid of its own parent.
async function disown(path: string, stalePid: number): Promise<void> {
  const aside = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`
  try {
    // Rename it first: another process may have corrected the same file a moment ago and started its server on it.
    await rename(path, aside)
    const [pidLine = '', ...rest] = (await readFile(aside, 'utf8')).split('\n')
    if (Number.parseInt(pidLine, 10) === stalePid) await overwrite(aside, [process.pid, ...rest].join('\n'))
    await link(aside, path)
  } catch (error) {
    if (toErrorCode(error) !== 'ENOENT' && toErrorCode(error) !== 'EEXIST') throw error
  } finally {
    await rm(aside, { force: true })
  }
}
