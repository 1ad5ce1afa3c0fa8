import type { Readable } from 'node:stream'
import type { ClientOptions } from '@noema/sdk'
import type { Prompt } from './ask.ts'
import type { Output } from './output.ts'

/** A key as the operator's command mints it on the service's own database. */
type MintedKey = {
  place: string
  secret: string
  key: { id: string; name: string; organizationId: string }
  account: { email: string; created: boolean; password?: string | undefined }
}

/** The input of `noema keys mint`. */
export type MintInput = {
  email?: string
  password?: string
  name: string
  create?: boolean
  cwd: string
  env: Environment
}

/** The sign-in methods that the operator's command removed from an account. */
type ResetAccount = {
  place: string
  email: string
  passkeys: number
  twoFactor: boolean
  identities: number
  sessions: number
}

/** The input of `noema accounts reset-sign-in`. */
type ResetInput = { email: string; cwd: string; env: Environment }

type Environment = Readonly<Record<string, string | undefined>>

/** A management key, as lists show it. */
export type OperatorKey = {
  id: string
  name: string
  status: 'active' | 'revoked' | 'expired'
  prefix: string
  createdAt: string
  lastUsedAt: string | null
  expiresAt: string | null
}

type KeysInput = { email?: string; cwd: string; env: Environment }

/** The server's functions for commands on the service's own database. */
export type Operator = {
  mintManagementKey: (input: MintInput) => Promise<MintedKey>
  listManagementKeys: (input: KeysInput) => Promise<{ place: string; keys: OperatorKey[] }>
  revokeManagementKey: (input: KeysInput & { id: string }) => Promise<{ place: string; key: OperatorKey }>
  rotateManagementKey: (
    input: KeysInput & { id: string },
  ) => Promise<{ place: string; key: OperatorKey; previous: OperatorKey; secret: string }>
  resetSignIn: (input: ResetInput) => Promise<ResetAccount>
  settingsExample: () => string
  checkSettings: (env: Environment, cwd: string) => string | undefined
}

/** The result of one check of an installation. */
export type Finding = { check: string; status: 'ok' | 'warning' | 'failed'; message: string; fix?: string }

type Doctor = {
  examine: (input: {
    env: Environment
    cwd: string
    isService: (url: string) => Promise<boolean>
  }) => Promise<Finding[]>
}

type BackupInput = { file: string; cwd: string; env: Environment }
type Totals = { tables: number; rows: number }
/** Files whose bytes are in the operator's store, and not in a backup. */
export type StoredFiles = { files: number; bytes: number }

/** The server's functions for backups. */
type Backups = {
  backUp: (input: BackupInput) => Promise<
    Totals & {
      file: string
      place: string
      bytes: number
      createdAt: string
      hasSecret: boolean
      noted: boolean
      elsewhere: StoredFiles
    }
  >
  verifyBackup: (
    input: Pick<BackupInput, 'file'>,
  ) => Promise<Totals & { file: string; version: string; createdAt: string; postgres: string; migrations: number }>
  restoreBackup: (
    input: BackupInput,
  ) => Promise<Totals & { place: string; version: string; createdAt: string; elsewhere: StoredFiles }>
}

/** The server's functions for base backups. */
type BaseBackups = {
  makeBaseBackup: (input: { folder?: string | undefined; cwd: string; env: Environment }) => Promise<{
    folder: string
    bytes: number
    files: number
    stoppedAt: string
    noted: boolean
    elsewhere: StoredFiles
  }>
  recoverDatabase: (input: {
    base: string
    to?: string | undefined
    wal?: string | undefined
    cwd: string
    env: Environment
  }) => Promise<{ place: string; base: string; to: string | null }>
}

type Upgrade = {
  upgradeDatabase: (input: { programs?: string | undefined; cwd: string; env: Environment }) => Promise<{
    place: string
    from: string
    to: string
    rows: number
    kept: string | null
  }>
}

type FileMoves = {
  moveFiles: (input: {
    to: 'store' | 'database'
    cwd: string
    env: Environment
  }) => Promise<{ place: string; files: number; bytes: number }>
}

/** A table of Brains; `estimatedSeconds` is 0 if nothing is left to do. */
export type PlannedTable = { table: string; isDistributed: boolean; bytes: number; estimatedSeconds: number }

type Distribution = {
  distributeDatabase: (input: {
    dryRun: boolean
    shards?: number | undefined
    report?: (table: PlannedTable & { seconds: number }) => Promise<void> | void
    cwd: string
    env: Environment
  }) => Promise<{ place: string; servers: string[]; tables: PlannedTable[]; isDone: boolean }>
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
  /** Asks a yes-or-no question; undefined without a terminal. */
  ask?: (question: string) => Promise<boolean>
  /** Asks for a line; undefined without a terminal. */
  prompt?: Prompt
  /** Asks for a hidden line; undefined without a terminal. */
  promptHidden?: Prompt
  /** The program and the arguments of this command line. */
  self: { command: string; args: readonly string[] }
  /** The client's timing, for tests without delays. */
  timing?: ClientOptions['timing']
  /** The server is loaded only by the commands that need it. */
  /** Starts this program again with these arguments, and leaves it running; undefined where a test has none of it. */
  startDetached?: (args: readonly string[]) => void
  loadServer: () => Promise<{ main: (options: { json: boolean }) => Promise<void> }>
  loadOperator: () => Promise<Operator>
  loadDoctor: () => Promise<Doctor>
  loadBackups: () => Promise<Backups>
  loadBaseBackups: () => Promise<BaseBackups>
  loadUpgrade: () => Promise<Upgrade>
  loadFileMoves: () => Promise<FileMoves>
  loadDistribution: () => Promise<Distribution>
}

/** The options that every command takes. */
export type GlobalOptions = { baseUrl?: string; apiKey?: string; profile?: string; json?: boolean }
