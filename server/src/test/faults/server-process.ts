import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

// The real service in a separate process, with its own data folder and PostgreSQL, for a test that kills it.

const mainFile = join(import.meta.dirname, '../../main.ts')
const startMilliseconds = 30_000
const pollMilliseconds = 20

/** Polls until something exists. For results of another process, which the test cannot await. */
const until = async <Found>(
  what: string,
  look: () => Found | undefined | Promise<Found | undefined>,
): Promise<Found> => {
  const deadline = Date.now() + startMilliseconds
  while (Date.now() < deadline) {
    const found = await look()
    if (found !== undefined) return found
    await delay(pollMilliseconds)
  }
  throw new Error(`${what} did not come about in ${startMilliseconds / 1000} seconds`)
}

const readyUrl = (line: string): string | undefined => {
  try {
    const { msg, url } = JSON.parse(line)
    return msg === 'ready' ? url : undefined
  } catch {
    return undefined
  }
}

/** Starts the service on its own port and waits until it is ready. */
const launch = async (
  dataDir: string,
  settings: Record<string, string> = {},
): Promise<{ child: ChildProcess; url: string }> => {
  const child = spawn(process.execPath, [mainFile], {
    cwd: dataDir,
    env: {
      PATH: process.env.PATH,
      NOEMA_DATA_DIR: dataDir,
      NOEMA_PORT: '0',
      NOEMA_TIERS: '{"free":{"dailyWrites":100000000}}',
      NOEMA_EMBEDDINGS: 'off',
      // Half of a start is compilation that the cache saves.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  const url = await new Promise<string>((resolve, reject) => {
    // The reason of a failed start is printed there.
    createInterface({ input: child.stderr }).on('line', (line) => lines.push(line))
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line)
      const found = readyUrl(line)
      if (found !== undefined) resolve(found)
    })
    child.once('close', (code) =>
      reject(new Error(`the service ended with ${code} before it was ready:\n${lines.join('\n')}`)),
    )
  })
  return { child, url }
}

/** Another node on a database, in a separate process. */
export const startNodeProcess = async (databaseUrl: string, settings: Record<string, string> = {}) => {
  const dataDir = mkdtempSync(join(realpathSync(tmpdir()), 'noema-node-'))
  const place = { NOEMA_DATABASE_URL: databaseUrl, NOEMA_DATABASE_POOL: '8' }
  const { child, url } = await launch(dataDir, { ...place, ...settings })
  let killed: Promise<void> | undefined
  const kill = async () => {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
    rmSync(dataDir, { recursive: true, force: true })
  }
  return {
    base: url,
    pid: child.pid ?? 0,
    /** A second call waits for the end that the first one caused. */
    kill: () => {
      killed ??= kill()
      return killed
    },
    /** Suspends the process, as on a starved machine, and resumes it. */
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    close: async () => {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** A service that a test kills and starts again. */
export const startService = async () => {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'noema-faults-')))
  chmodSync(dataDir, 0o755)
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid')
  let { child, url } = await launch(dataDir)

  const postmasterPid = (): number | undefined => {
    try {
      return Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
    } catch {
      return undefined
    }
  }
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
    const exit = once(child, 'exit')
    child.kill(signal)
    const [code] = await exit
    return code
  }
  const start = async () => {
    const launched = await launch(dataDir)
    child = launched.child
    url = launched.url
  }
  return {
    dataDir,
    url: () => url,
    postmasterPid,
    end,
    start,
    /** Kills PostgreSQL, as a machine without memory does, and waits for its replacement. */
    killPostmaster: async () => {
      const pid = postmasterPid()
      if (pid === undefined) throw new Error('there is no PostgreSQL to kill')
      process.kill(pid, 'SIGKILL')
      await until('a new PostgreSQL', () => {
        const next = postmasterPid()
        return next === pid ? undefined : next
      })
    },
    remove: async () => {
      await end('SIGKILL')
      const pid = postmasterPid()
      if (pid !== undefined) {
        process.kill(pid, 'SIGQUIT')
        await until('the end of PostgreSQL', () => (postmasterPid() === undefined ? true : undefined))
      }
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export type Service = Awaited<ReturnType<typeof startService>>
