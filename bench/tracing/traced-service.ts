import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { startServer } from '../parts/child.ts'
import { loadOperator } from '../parts/noema.ts'
import { createScratchFolder } from '../parts/scratch-postgres.ts'
import type { TracedFunction } from './instrument.ts'

export type ServiceRequest = {
  method: string
  path: string
  body?: unknown
  headers?: Record<string, string>
}

/** A running service whose named functions report that they were entered. */
export type TracedService = {
  /** Calls the API and answers `data`; throws on any refusal. */
  call<Data>(request: ServiceRequest): Promise<Data>
  /** The calls of a request before it was answered. */
  trace(request: ServiceRequest): Promise<TracedFunction[]>
  /** The calls of a request, and of the work that it started until `until` resolved, which gets the answer's data. */
  follow<Data>(request: ServiceRequest, until: (data: Data) => Promise<void>): Promise<TracedFunction[]>
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
  const env = { NOEMA_DATA_DIR: dataDir, NOEMA_PORT: '0', NOEMA_WEBHOOK_ALLOW: '127.0.0.1:*' }
  let receive: (calls: TracedFunction[]) => void = () => {}
  const server = await startServer({
    script: 'server/src/main.ts',
    tree,
    env,
    nodeArgs: ['--disable-warning=ExperimentalWarning', '--import', preload],
    onMessage: (calls) => receive(calls as TracedFunction[]),
  })
  const { mintManagementKey } = await loadOperator(tree)
  const { secret } = await mintManagementKey({ name: 'trace', cwd: '/', env })
  const call = openCaller(`http://127.0.0.1:${server.port}`, secret)
  const mark = (request: ServiceRequest, what: string): ServiceRequest => ({
    ...request,
    headers: { ...request.headers, 'x-trace': what },
  })
  const askFor = async (request: ServiceRequest): Promise<TracedFunction[]> => {
    const calls = new Promise<TracedFunction[]>((resolve) => {
      receive = resolve
    })
    await call(request)
    return calls
  }
  return {
    call,
    trace: (request) => askFor(mark(request, 'request')),
    follow: async <Data>(request: ServiceRequest, until: (data: Data) => Promise<void>) => {
      await until(await call<Data>(mark(request, 'follow')))
      return askFor(mark({ method: 'GET', path: '/v1/whoami' }, 'end'))
    },
    stop: async () => {
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
