import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { type ServerCommand, type ServerProcess, startNodeFlags, startServer, thisTree } from './child.ts'
import type { ScratchDatabase } from './scratch-postgres.ts'

/** A running Noema with a management key whose organization has no caps. */
export type Noema = ServerProcess & {
  key: string
  organizationId: string
  /** Calls the API and answers `data`; throws on any refusal. */
  call<Data>(method: string, path: string, body?: unknown): Promise<Data>
  /** Sends a batch until it is accepted, because a busy machine may exceed the server's timeout. It is written once. */
  writeBatch(brain: string, operations: readonly unknown[]): Promise<void>
}

const maxTries = 20
const secret = 'benchmarks-only-benchmarks-only-benchmarks'

type Operator = typeof import('../../server/src/operator/operator.ts')

/** The operator's commands of a checkout. */
export const loadOperator = (tree: string): Promise<Operator> => {
  const files = ['operator/operator.ts', 'operator.ts'].map((file) => `${tree}/server/src/${file}`)
  return import(pathToFileURL(files.find((file) => existsSync(file)) ?? '').href)
}

/** Starts the real server over a scratch database. `profileFolder` receives a CPU profile when it stops. */
export const startNoema = async (
  database: ScratchDatabase,
  profileFolder?: string,
  settings: Record<string, string> = {},
  { nodeArgs: added = [], onMessage, tree = thisTree }: Pick<ServerCommand, 'nodeArgs' | 'onMessage' | 'tree'> = {},
): Promise<Noema> => {
  const env = { NOEMA_DATABASE_URL: database.url, NOEMA_SECRET: secret, NOEMA_PORT: '0', ...settings }
  const { mintManagementKey } = await loadOperator(tree)
  const minted = await mintManagementKey({ name: 'bench', cwd: '/', env })
  const { organizationId } = minted.key
  // No cap may end a measurement early.
  await database.pool.query(`update organization set tier = 'staff' where id = $1`, [organizationId])
  const profiling = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`]
  const nodeArgs = [...startNodeFlags, ...profiling, ...added]
  const server = await startServer({
    script: 'server/src/main.ts',
    env,
    nodeArgs,
    tree,
    ...(onMessage && { onMessage }),
  })
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method,
      headers: {
        ...{ authorization: `Bearer ${minted.secret}`, ...headers },
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, text: await response.text() }
  }
  const refusal = (path: string, { status, text }: { status: number; text: string }) =>
    new Error(`${path} was answered ${status}: ${text}`)
  return {
    ...server,
    key: minted.secret,
    organizationId,
    call: async (method, path, body) => {
      const answer = await send(method, path, body)
      if (answer.status > 299) throw refusal(`${method} ${path}`, answer)
      return JSON.parse(answer.text).data
    },
    writeBatch: async (brain, operations) => {
      const path = `/v1/brains/${brain}/batch`
      const key = { 'idempotency-key': randomUUID() }
      for (let tries = 1; ; tries++) {
        const answer = await send('POST', path, { operations }, key)
        if (answer.status < 300) return
        if (answer.status !== 503 || tries === maxTries) throw refusal(path, answer)
      }
    },
  }
}
