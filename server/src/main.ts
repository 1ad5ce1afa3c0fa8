import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createApp } from './app.ts'
import { type Config, findDeprecated, readConfig, unknownSettings } from './config/config.ts'
import { BadSetting } from './config/setting.ts'
import type { Message } from './features/platform/mail/mail.ts'
import { ApiError } from './shared/errors.ts'
import { createLog, type Log } from './shared/log.ts'
import { isDatabaseUnavailable } from './storage/database-errors.ts'
import { UnusableDataFolder } from './storage/embedded/data-folder.ts'
import { DataFolderInUse } from './storage/embedded/owner-lock.ts'
import { openStorage } from './storage/open-storage.ts'

const exitMilliseconds = 30_000

const tell = (line: string) => process.stderr.write(`${line}\n`)

// npm passes a Ctrl-C on that the terminal has already sent to everyone: that is one wish, not two.
const sameWishMilliseconds = 1_000

/** Resolves at the first signal that asks the process to end. A later one ends it at once. */
const endSignal = (): Promise<string> =>
  new Promise((resolve) => {
    let askedAt: number | undefined
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(name, () => {
        askedAt ??= Date.now()
        if (Date.now() - askedAt > sameWishMilliseconds) process.exit(130)
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

/** Fails where the port is taken, before a database is started for nothing. */
const checkPortIsFree = (port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen({ port, host }, () => probe.close(() => resolve()))
  })

/** Shows a mail that no server delivers, as its reader would see it: the link in it is what they wait for. */
const showMail = ({ to, subject, text }: Message): void => {
  const lines = `To: ${to}\n${subject}\n\n${text.trim()}`.replace(/[^\P{C}\n]/gu, ' ').split('\n')
  tell(
    `\n  Mail that is not sent, because NOEMA_SMTP_URL is not set:\n\n${lines.map((line) => `  | ${line}`).join('\n')}\n`,
  )
}

const serve = async (config: Config, log: Log): Promise<void> => {
  for (const name of unknownSettings(process.env)) log.warn({ setting: name }, 'an unknown setting is ignored')
  const deprecated = findDeprecated(process.env)
  if (deprecated) log.warn(deprecated, 'deprecated settings are used, which the next release ignores')
  const ended = endSignal()
  for (const port of [config.port, config.metrics.port ?? 0]) if (port !== 0) await checkPortIsFree(port, config.host)
  const storage = await openStorage(config, { log, cwd: process.cwd(), ownership: 'exclusive' })
  try {
    const { address, secret } = storage
    const app = await createApp({ config, address, secret, log, showMail })
    try {
      const { url } = await app.listen()
      log.info({ url, data: storage.place, pid: process.pid }, 'ready')
      tell(`\n  Noema is ready at ${url}\n  Its data is in ${storage.place}\n  A first key: npx noema keys mint\n`)
      const signal = await ended
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
 * Runs the service until a signal ends it. A start that cannot succeed ends with exit code 1 and one line on standard
 * error: a sentence, or with `json` an object with the error.
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
    const message = line ?? 'the service failed; the log tells why.'
    tell(json ? JSON.stringify({ error: { kind: 'internal', message } }) : `noema: ${message}`)
    process.exitCode = 1
  }
  log?.flush()
  // Whatever still holds the process open has had its time.
  setTimeout(() => process.exit(), exitMilliseconds).unref()
}

if (import.meta.main) await main()
