import { rm } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { startServer } from '../parts/child.ts'
import { createScratchFolder } from '../parts/scratch-postgres.ts'
import type { TracedFunction } from './instrument.ts'
import type { Calls } from './preload.ts'

export type ServiceRequest = {
  method: string
  path: string
  body?: unknown
  headers?: Record<string, string>
}

/** A running service whose named functions tell that they were entered. */
export type TracedService = {
  /** Calls the API and answers `data`; throws on any refusal. */
  call<Data>(request: ServiceRequest): Promise<Data>
  /** What a request called before it was answered. */
  trace(request: ServiceRequest): Promise<TracedFunction[]>
  /** What a request called and went on to call until `until` resolved, and what was called beside it outside of requests. */
  follow(request: ServiceRequest, until: () => Promise<void>): Promise<Calls>
  stop(): Promise<void>
}

const preload = fileURLToPath(new URL('preload.ts', import.meta.url))

const openCaller =
  (base: string, key: string) =>
  async <Data>({ method, path, body, headers = {} }: ServiceRequest): Promise<Data> => {
    const response = await fetch(base + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`)
    return JSON.parse(text).data
  }

/** Starts the service of a checkout, instrumented, over a PostgreSQL and a data folder of its own. */
export const startTracedService = async (tree: string): Promise<TracedService> => {
  const dataDir = await createScratchFolder()
  const env = { NOEMA_DATA_DIR: dataDir, NOEMA_PORT: '0', NOEMA_WEBHOOK_ALLOW: '127.0.0.1' }
  let receive: (calls: Calls) => void = () => {}
  const server = await startServer({
    script: 'server/src/main.ts',
    tree,
    env,
    nodeArgs: ['--disable-warning=ExperimentalWarning', '--import', preload],
    onMessage: (calls) => receive(calls as Calls),
  })
  const { mintManagementKey }: typeof import('../../server/src/operator/operator.ts') = await import(
    pathToFileURL(`${tree}/server/src/operator/operator.ts`).href
  )
  const { secret } = await mintManagementKey({ name: 'trace', cwd: '/', env })
  const call = openCaller(`http://127.0.0.1:${server.port}`, secret)
  const mark = (request: ServiceRequest, what: string): ServiceRequest => ({
    ...request,
    headers: { ...request.headers, 'x-trace': what },
  })
  const askFor = async (request: ServiceRequest): Promise<Calls> => {
    const calls = new Promise<Calls>((resolve) => {
      receive = resolve
    })
    await call(request)
    return calls
  }
  return {
    call,
    trace: async (request) => (await askFor(mark(request, 'request'))).request,
    follow: async (request, until) => {
      await call(mark(request, 'follow'))
      await until()
      return askFor(mark({ method: 'GET', path: '/v1/whoami' }, 'end'))
    },
    stop: async () => {
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
