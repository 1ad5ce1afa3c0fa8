import type { Readable } from 'node:stream'
import { type Client, type ClientOptions, createClient } from '@noema/sdk'
import type { Prompt } from './ask.ts'
import { MissingKeyError, UsageError } from './exit-codes.ts'
import { type Output, writeLine } from './output.ts'

/** A key as the operator's command mints it on the service's own database. */
type MintedKey = {
  place: string
  secret: string
  key: { id: string; name: string; organizationId: string }
  account: { email: string; created: boolean; password?: string | undefined }
}

/** What `noema keys mint` asks of the server. */
export type MintInput = {
  email?: string
  password?: string
  name: string
  create?: boolean
  cwd: string
  env: Environment
}

/** What the operator's command took from an account. */
type ResetAccount = {
  place: string
  email: string
  passkeys: number
  twoFactor: boolean
  identities: number
  sessions: number
}

/** What `noema accounts reset-sign-in` asks of the server. */
type ResetInput = { email: string; cwd: string; env: Environment }

type Environment = Readonly<Record<string, string | undefined>>

/** What commands on the service's own database ask of it. */
type Operator = {
  mintManagementKey: (input: MintInput) => Promise<MintedKey>
  resetSignIn: (input: ResetInput) => Promise<ResetAccount>
}

/** Everything that a command has of its surroundings, so that a test can give it others. */
export type Context = {
  stdout: Output
  stderr: Output
  stdin: Readable
  env: Environment
  cwd: string
  /** Aborts on Ctrl-C. */
  signal: AbortSignal
  /** Asks a yes-or-no question; left out where nobody is at a terminal. */
  ask?: (question: string) => Promise<boolean>
  /** Asks for a line; left out where nobody is at a terminal. */
  prompt?: Prompt
  /** How the client waits, where a test must not. */
  timing?: ClientOptions['timing']
  /** The server is loaded only by the commands that need it. */
  loadServer: () => Promise<{ main: (options: { json: boolean }) => Promise<void> }>
  loadOperator: () => Promise<Operator>
}

/** The options that every command takes. */
export type GlobalOptions = { baseUrl?: string; apiKey?: string; json?: boolean }

/** Makes the client of a command. Throws `MissingKeyError` without a key. */
export const connectClient = (context: Context, options: GlobalOptions): Client => {
  const apiKey = options.apiKey ?? context.env.NOEMA_API_KEY
  if (!apiKey) throw new MissingKeyError('No API key: set NOEMA_API_KEY or run `noema keys mint`.')
  const baseUrl = options.baseUrl ?? (context.env.NOEMA_BASE_URL || 'http://127.0.0.1:4100')
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl))
    throw new UsageError(`${JSON.stringify(baseUrl)} is no http or https address: see --base-url and NOEMA_BASE_URL.`)
  const warn = (message: string, { reason }: Record<string, unknown>) => {
    if (!options.json) void writeLine(context.stderr, `noema: ${message} (${String(reason)})`).catch(() => undefined)
  }
  return createClient({ baseUrl, apiKey, timing: context.timing, logger: { debug: () => undefined, warn } })
}
