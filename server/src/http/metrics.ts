import { createHash, timingSafeEqual } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify'
import type { Registry } from 'prom-client'
import { unauthorized } from '../shared/errors.ts'
import type { Log } from '../shared/log.ts'
import type { WorkerHealth } from '../shared/worker-health.ts'
import { sendError } from './errors.ts'

// What Prometheus reads (D-80): on a port of its own, which the operator keeps to themselves, or by a token.

/** What there is to measure. */
export type MetricsSource = {
  workers(): readonly WorkerHealth[]
  pool: { totalCount: number; idleCount: number; waitingCount: number }
}

type Gauge = { name: string; help: string; label: string; values(): (readonly [label: string, value: number])[] }

const workerGauges = ({ workers }: MetricsSource): Gauge[] => {
  const ofTurns = (value: (turns: NonNullable<WorkerHealth['turns']>) => number) => () =>
    workers().flatMap(({ name, turns }) => (turns ? [[name, value(turns)] as const] : []))
  return [
    {
      name: 'noema_worker_consecutive_failures',
      help: 'Attempts of a background worker that failed in a row.',
      label: 'worker',
      values: () => workers().map(({ name, consecutiveFailures }) => [name, consecutiveFailures]),
    },
    {
      name: 'noema_worker_last_success_timestamp_seconds',
      help: 'When a background worker last succeeded, in seconds since 1970.',
      label: 'worker',
      values: () =>
        workers().flatMap(({ name, lastSuccess }) => (lastSuccess ? [[name, lastSuccess.getTime() / 1000]] : [])),
    },
    {
      name: 'noema_turns_running',
      help: 'Turns of leased work that are under way on this node.',
      label: 'worker',
      values: ofTurns(({ running }) => running),
    },
    {
      name: 'noema_turns_pending',
      help: 'Keys of leased work that this node is about to lease rows of.',
      label: 'worker',
      values: ofTurns(({ pending }) => pending),
    },
    {
      name: 'noema_turns_lag_seconds',
      help: 'How long due leased work has waited, as the last look found it.',
      label: 'worker',
      values: ofTurns(({ lagSeconds }) => lagSeconds),
    },
  ]
}

const poolGauge = ({ pool }: MetricsSource): Gauge => ({
  name: 'noema_database_connections',
  help: 'Connections of this node to its database that are busy or idle, and requests that wait for one.',
  label: 'state',
  values: () => [
    ['busy', pool.totalCount - pool.idleCount],
    ['idle', pool.idleCount],
    ['waiting', pool.waitingCount],
  ],
})

/** Opens the metrics of a node: its own, and those of the process and its event loop by their usual names. */
const createRegistry = async (source: MetricsSource): Promise<Registry> => {
  const { collectDefaultMetrics, Gauge, Registry: EmptyRegistry } = await import('prom-client')
  const register = new EmptyRegistry()
  collectDefaultMetrics({ register })
  for (const { label, values, ...gauge } of [...workerGauges(source), poolGauge(source)])
    new Gauge({
      ...{ ...gauge, labelNames: [label], registers: [register] },
      collect() {
        this.reset()
        for (const [name, value] of values()) this.set({ [label]: name }, value)
      },
    })
  return register
}

const toDigest = (text: string) => createHash('sha256').update(text).digest()

const checkToken = ({ headers }: FastifyRequest, token: string): void => {
  const given = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
  if (!timingSafeEqual(toDigest(given), toDigest(token)))
    throw unauthorized('Send "authorization: Bearer <NOEMA_METRICS_TOKEN>" to read the metrics.')
}

const registerMetrics = (app: FastifyInstance, register: Registry, token: string | undefined): void => {
  app.get('/metrics', async (request, reply) => {
    if (token !== undefined) checkToken(request, token)
    return reply.header('content-type', register.contentType).send(await register.metrics())
  })
}

const createServer = (register: Registry, { port, token }: { port: number; token: string | undefined }, log: Log) => {
  const app = fastify({ logger: false, forceCloseConnections: true })
  app.setErrorHandler((error, _request, reply) => sendError(reply, error, log))
  registerMetrics(app, register, token)
  return {
    listen: async (host: string): Promise<number> => {
      await app.listen({ port, host })
      return (app.server.address() as AddressInfo).port
    },
    close: async (): Promise<void> => app.close(),
  }
}

/** Where a node's metrics are read: by a route of the service, on a server of their own, or not at all. */
export type Metrics = {
  register: ((app: FastifyInstance) => void) | undefined
  server: ReturnType<typeof createServer> | undefined
}

export const openMetrics = async (
  { port, token }: { port: number | undefined; token: string | undefined },
  source: MetricsSource,
  log: Log,
): Promise<Metrics> => {
  if (port === undefined && token === undefined) return { register: undefined, server: undefined }
  const registry = await createRegistry(source)
  if (port === undefined) return { register: (app) => registerMetrics(app, registry, token), server: undefined }
  return { register: undefined, server: createServer(registry, { port, token }, log) }
}
