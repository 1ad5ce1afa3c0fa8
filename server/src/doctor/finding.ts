import type { Config } from '../config/config.ts'

/** The result of one check of an installation: `warning` works but needs attention, `failed` does not work. */
export type Finding = {
  check: string
  status: 'ok' | 'warning' | 'failed'
  message: string
  /** The fix, in one line. */
  fix?: string
}

export type Environment = Readonly<Record<string, string | undefined>>

/** The input of a check. */
export type Subject = { config: Config; env: Environment; cwd: string }

export const isOk = (check: string, message: string): Finding => ({ check, status: 'ok', message })

export const warns = (check: string, message: string, fix: string): Finding => ({
  check,
  status: 'warning',
  message,
  fix,
})

export const failed = (check: string, message: string, fix: string): Finding => ({
  check,
  status: 'failed',
  message,
  fix,
})

/** The text of an error on one line. */
export const toReason = (error: unknown): string =>
  (error instanceof Error ? error.message || String(('code' in error && error.code) || error.name) : String(error))
    .replaceAll(/\s+/g, ' ')
    .slice(0, 300)
