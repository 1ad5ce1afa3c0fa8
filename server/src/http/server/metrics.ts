import { createHash, timingSafeEqual } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { ServiceHealth } from '@noema/contracts/service-health.ts'
import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify'
import type { Registry, RegistryContentType } from 'prom-client'
import { unauthorized } from '../../shared/errors.ts'
import type { Log } from '../../shared/log.ts'
import { type Measures, measured } from '../../shared/measures.ts'
import type { WorkerHealth } from '../../shared/worker-health.ts'
import type { DiskWatch } from '../../storage/disk-watch.ts'
import type { ReplicaReport } from '../../storage/replicas.ts'
import type { Forwarding } from '../forwarding/forwarding.ts'
import { sendError } from '../request/errors.ts'
import { diskGauge, type Gauge, otherNodesGauge, type Values } from './gauge.ts'
import { openMetricsType, toPlainText, wantsOpenMetrics } from './open-metrics.ts'

// Metrics for Prometheus (D-80): on a port of their own, which the operator keeps private, or by a token.

/** The sources of the metrics. */
export type MetricsSource = {
  workers(): readonly WorkerHealth[]
  pool: { totalCount: number; idleCount: number; waitingCount: number }
  disk: Pick<DiskWatch, 'isFull'>
  replicas(): readonly ReplicaReport[]
  forwarding: Pick<Forwarding, 'countReached'> | undefined
  /** The measures of the running node. */
  measures: Measures
  /** True if requests have traces that values can lead to. */
  isTraced: boolean
  /** The health of the service, all nodes together. */
  health(): Promise<ServiceHealth>
}

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

const replicaGauges = ({ replicas }: MetricsSource): Gauge[] => [
  {
    name: 'noema_replica_used',
    help: 'Whether a replica, by its number in NOEMA_DATABASE_REPLICA_URLS, is read from by this node: 1, or 0 while it does not answer or is no replica.',
    label: 'replica',
    values: () => replicas().map(({ number, isUsed }) => [`${number}`, isUsed ? 1 : 0]),
  },
  {
    name: 'noema_replica_lag_seconds',
    help: 'How far a replica was behind the primary when this node last looked; absent where that is not known.',
    label: 'replica',
    values: () =>
      replicas().flatMap(({ number, lagSeconds }) => (lagSeconds === undefined ? [] : [[`${number}`, lagSeconds]])),
  },
]

type FindHealth = (toValues: (reported: ServiceHealth) => Values) => () => Promise<Values>

/** The lags behind writes and settings. */
const lagGauges = (find: FindHealth): Gauge[] => [
  {
    name: 'noema_behind',
    help: 'The lag of the search index (in events) and of the vectors (in passages). The same on every node.',
    label: 'what',
    values: find(({ lags }) =>
      Object.entries(lags).flatMap(([what, lag]) => (lag ? [[what, lag.behind] as const] : [])),
    ),
  },
  {
    name: 'noema_embedding_brains',
    help: 'Brains that are searched by vectors of the model that is set (current), and of the one before it (former).',
    label: 'model',
    values: find(({ vectors }) =>
      vectors
        ? [
            ['current', vectors.currentBrains],
            ['former', vectors.formerBrains],
          ]
        : [],
    ),
  },
  {
    name: 'noema_webhook_behind_events',
    help: 'Events that a webhook of a Brain has not been sent yet, of the fifty that lack most. The same on every node.',
    label: 'webhook',
    values: find(({ webhooks }) => webhooks.map(({ id, behind }) => [id, behind])),
  },
]

const backupGauges = (find: FindHealth): Gauge[] => [
  {
    name: 'noema_last_backup_timestamp_seconds',
    help: 'When noema backup last made a file, or noema backup --base a base backup, in seconds since 1970; absent where it never did. The same on every node.',
    label: 'kind',
    values: find(({ backups }) => backups.last.map(({ kind, madeAt }) => [kind, Date.parse(madeAt) / 1_000])),
  },
  {
    name: 'noema_log_archive_failing',
    help: 'Whether the write-ahead log could not be archived when that was last tried: 1, else 0; absent where the database server has no archive.',
    label: 'database',
    values: find(({ backups: { archive } }) => (archive ? [['noema', archive.failing ? 1 : 0]] : [])),
  },
]

/** The gauges that are the same on all nodes: they come from the database. */
const serviceGauges = ({ health }: MetricsSource): Gauge[] => {
  const find: FindHealth = (toValues) => async () => toValues(await health())
  return [
    {
      name: 'noema_queue_due',
      help: 'Work that is due in a queue, counted up to 10,000. The same on every node.',
      label: 'queue',
      values: find(({ queues }) => queues.map(({ name, due }) => [name, due])),
    },
    {
      name: 'noema_queue_age_seconds',
      help: 'How long the oldest work of a queue has been due. The same on every node.',
      label: 'queue',
      values: find(({ at, queues }) =>
        queues.map(({ name, oldestDueAt }) => [
          name,
          oldestDueAt === null ? 0 : Math.max(0, (Date.parse(at) - Date.parse(oldestDueAt)) / 1_000),
        ]),
      ),
    },
    ...lagGauges(find),
    {
      name: 'noema_nodes',
      help: 'Nodes that reported in the last half minute (alive), and only earlier within the last day (gone).',
      label: 'state',
      values: find(({ nodes }) => [
        ['alive', nodes.filter(({ alive }) => alive).length],
        ['gone', nodes.filter(({ alive }) => !alive).length],
      ]),
    },
    ...backupGauges(find),
    {
      name: 'noema_database_bytes',
      help: 'Size of the database.',
      label: 'database',
      values: find(({ database }) => [['noema', database.bytes]]),
    },
  ]
}

type MetricsRegistry = Registry<RegistryContentType>

/** Adds up the measures of the running node. */
const collectMeasures = async ({ measures, isTraced }: MetricsSource, register: MetricsRegistry): Promise<void> => {
  const { Counter, Histogram } = await import('prom-client')
  const add = new Map<string, (labels: Readonly<Record<string, string>>, value: number, trace?: string) => void>()
  for (const [name, about] of Object.entries(measured)) {
    const { help, labels } = about
    const options = { name, help, labelNames: [...labels], registers: [register] }
    if ('buckets' in about) {
      const showsTraces = isTraced && 'showsTraces' in about
      const histogram = new Histogram<string>({ ...options, buckets: [...about.buckets], enableExemplars: showsTraces })
      const observe = (labels: Readonly<Record<string, string>>, value: number, trace?: string) =>
        histogram.observe({ labels, value, exemplarLabels: trace === undefined ? {} : { trace_id: trace } })
      add.set(name, showsTraces ? observe : (of, value) => histogram.observe(of, value))
    } else {
      const counter = new Counter(options)
      add.set(name, (of, value) => counter.inc(of, value))
    }
  }
  measures.listen((name, value, labels, trace) => add.get(name)?.(labels, value, trace))
}

/** Opens the metrics of a node: its own, and those of the process and its event loop by their usual names. */
const createRegistry = async (source: MetricsSource): Promise<MetricsRegistry> => {
  const { collectDefaultMetrics, Gauge, Registry: EmptyRegistry } = await import('prom-client')
  const register: MetricsRegistry = new EmptyRegistry<RegistryContentType>()
  // Only OpenMetrics has exemplars: traces next to values.
  if (source.isTraced) register.setContentType(EmptyRegistry.OPENMETRICS_CONTENT_TYPE)
  collectDefaultMetrics({ register })
  await collectMeasures(source, register)
  for (const { label, values, ...gauge } of [
    ...workerGauges(source),
    poolGauge(source),
    diskGauge(source.disk),
    otherNodesGauge(source.forwarding),
    ...replicaGauges(source),
    ...serviceGauges(source),
  ])
    new Gauge({
      ...{ ...gauge, labelNames: [label], registers: [register] },
      async collect() {
        this.reset()
        // During an outage of the database, its values are absent and the others remain.
        const reported = await Promise.resolve(values()).catch(() => [])
        for (const [name, value] of reported) this.set({ [label]: name }, value)
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

/** The metrics as the caller wants them: in OpenMetrics where they ask for it and the node has it, else as plain text. */
const readMetrics = async (register: MetricsRegistry, accept: string | undefined) => {
  const text = await register.metrics()
  const isOpen = register.contentType.startsWith(openMetricsType)
  return isOpen && !wantsOpenMetrics(accept)
    ? { type: 'text/plain; version=0.0.4; charset=utf-8', text: toPlainText(text) }
    : { type: register.contentType, text }
}

const registerMetrics = (app: FastifyInstance, register: MetricsRegistry, token: string | undefined): void => {
  app.get('/metrics', async (request, reply) => {
    if (token !== undefined) checkToken(request, token)
    const { type, text } = await readMetrics(register, request.headers.accept)
    return reply.header('content-type', type).send(text)
  })
}

const createServer = (
  register: MetricsRegistry,
  { port, token }: { port: number; token: string | undefined },
  log: Log,
) => {
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

/** The way to read a node's metrics: by a route of the service, on a server of their own, or not at all. */
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
