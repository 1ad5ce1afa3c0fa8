import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createApp } from './app.ts'
import { type Config, findDeprecated, findLoopback, readConfig, unknownSettings } from './config/config.ts'
import { BadSetting } from './config/setting.ts'
import type { Message } from './features/platform/mail/mail.ts'
import { ApiError } from './shared/errors.ts'
import { createLog, type Log } from './shared/log.ts'
import { lowerPoolPriority } from './shared/threads/thread-priority.ts'
import { isDatabaseUnavailable } from './storage/database-errors.ts'
import { UnusableDataFolder } from './storage/embedded/data-folder.ts'
import { DataFolderInUse } from './storage/embedded/owner-lock.ts'
import { openStorage } from './storage/open-storage.ts'

const exitMilliseconds = 30_000

const print = (line: string) => process.stderr.write(`${line}\n`)

// npm forwards a Ctrl-C that the terminal has already sent to every process, so two signals in this time count as one.
const sameSignalMilliseconds = 1_000

/** Resolves at the first signal to shut down. A later one exits at once. */
const shutdownSignal = (): Promise<string> =>
  new Promise((resolve) => {
    let firstAt: number | undefined
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(name, () => {
        firstAt ??= Date.now()
        if (Date.now() - firstAt > sameSignalMilliseconds) process.exit(130)
        resolve(name)
      })
    }
  })

/** An operator's mistake or an unreachable database, as one line; undefined for anything else. */
const startFailure = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined
  if ([BadSetting, DataFolderInUse, UnusableDataFolder, ApiError].some((kind) => error instanceof kind))
    return error.message
  if ('code' in error && error.code === 'EADDRINUSE')
    return `${error.message}. Another program listens there, or Noema itself; stop it, or set NOEMA_PORT.`
  if (isDatabaseUnavailable(error)) return `The database cannot be reached: ${error.message}. Check NOEMA_DATABASE_URL.`
  return undefined
}

/** Fails if the port is taken, before it starts a database for nothing. */
const checkPortIsFree = (port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen({ port, host }, () => probe.close(() => resolve()))
  })

/** Prints an email that no server delivers, so that the operator can open its link. */
const showMail = ({ to, subject, text }: Message): void => {
  const lines = `To: ${to}\n${subject}\n\n${text.trim()}`.replace(/[^\P{C}\n]/gu, ' ').split('\n')
  print(
    `\n  Email that was not sent, because NOEMA_SMTP_URL is not set:\n\n${lines.map((line) => `  | ${line}`).join('\n')}\n`,
  )
}

const serve = async (config: Config, log: Log): Promise<void> => {
  for (const name of unknownSettings(process.env)) log.warn({ setting: name }, 'an unknown setting is ignored')
  const deprecated = findDeprecated(process.env)
  if (deprecated) log.warn(deprecated, 'deprecated settings are used, which the next release ignores')
  for (const entry of findLoopback(process.env))
    log.warn({ entry }, 'every organization may call a port of this machine, where services may trust any caller')
  const shutdown = shutdownSignal()
  for (const port of [config.port, config.metrics.port ?? 0]) if (port !== 0) await checkPortIsFree(port, config.host)
  const storage = await openStorage(config, { log, cwd: process.cwd(), ownership: 'exclusive' })
  try {
    const { address, secret } = storage
    const app = await createApp({ config, address, secret, log, showMail })
    try {
      const { url } = await app.listen()
      lowerPoolPriority()
      log.info({ url, data: storage.place, pid: process.pid }, 'ready')
      print(`\n  Noema is ready at ${url}\n  Its data is in ${storage.place}\n  A first key: npx noema keys mint\n`)
      const signal = await shutdown
      log.info({ signal, drainSeconds: config.drainSeconds }, 'shutting down')
      app.leave()
      await delay(config.drainSeconds * 1_000)
    } finally {
      await app.close()
    }
  } finally {
    await storage.close()
  }
}

/**
 * Runs the service until a signal stops it. If it cannot start, it exits with code 1 and one line on standard error: a sentence, or
 * with `json` an object with the error.
 */
export const main = async ({ json = false }: { json?: boolean } = {}): Promise<void> => {
  let log: Log | undefined
  try {
    const config = readConfig(process.env, process.cwd())
    log = createLog(config.logLevel)
    await serve(config, log)
  } catch (error) {
    const line = startFailure(error)
    if (line === undefined) log?.fatal({ err: error }, 'the service failed')
    const message = line ?? 'the service failed; see the log for the reason.'
    print(json ? JSON.stringify({ error: { kind: 'internal', message } }) : `noema: ${message}`)
    process.exitCode = 1
  }
  log?.flush()
  // Exits even if something still keeps the process running.
  setTimeout(() => process.exit(), exitMilliseconds).unref()
}

if (import.meta.main) await main()
