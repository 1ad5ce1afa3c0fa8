import { oldBackupSeconds } from '@noema/contracts/backup-age.ts'
import type { ServiceHealth } from '@noema/contracts/service-health.ts'
import { toSize } from '@noema/contracts/sizes.ts'
import { plural, toAmount } from '../plural.ts'
import { toSpan } from './spans.ts'

// The findings of the service's health for the operator, with advice.

export type Finding = { tone: 'danger' | 'warning'; title: string; advice: string }

/** A job is a finding once it is due for this long: workers poll every few seconds. */
const maxQueueSeconds = 120
const maxConnectionShare = 0.8
const maxTransactionSeconds = 300
const minDiskShare = 0.1
const maxLag = 1_000
const maxWebhookLag = 10_000
/** The trace exporter is listed with the workers, but its failure does not affect the service. */
const traces = 'send traces'

const queueAdvice: Readonly<Record<string, string>> = {
  mail: 'Check the failed emails on the Mail page, and whether the mail server in NOEMA_SMTP_URL responds.',
  'Brain webhooks':
    'Some receivers respond slowly or not at all. Check the webhooks of the Brains, and start more nodes with the worker role.',
  deliveries: 'Receivers of organization webhooks respond slowly or not at all. Start more nodes with the worker role.',
  runs: 'Runs start faster than nodes process them. Start more nodes with the worker role, or check the language models.',
}

const findNodes = ({ nodes, versions }: ServiceHealth): Finding[] => {
  const living = nodes.filter(({ alive }) => alive)
  const gone = nodes.filter(({ alive }) => !alive)
  const others = new Set(living.map(({ version }) => version))
  return [
    ...(living.some(({ roles }) => roles.includes('worker')) || living.length === 0
      ? []
      : [
          {
            tone: 'danger' as const,
            title: 'No node runs background jobs',
            advice: 'Indexing, deliveries and runs have stopped. Start a node with worker in NOEMA_ROLES.',
          },
        ]),
    ...gone.map(({ id }) => ({
      tone: 'warning' as const,
      title: `The node ${id.slice(0, 8)} stopped reporting`,
      advice:
        'The node was killed or cannot reach the database. Check its log. It is removed from this list a day after its last report.',
    })),
    ...(others.size > 1
      ? [
          {
            tone: 'warning' as const,
            title: `Nodes of ${others.size} versions run: ${[...others].join(', ')}`,
            advice: 'This is normal during an upgrade. Restart the older nodes with the newer version.',
          },
        ]
      : []),
    ...(versions.schema.applied === versions.schema.known
      ? []
      : [
          {
            tone: 'warning' as const,
            title: `The database is at migration ${versions.schema.applied}, this node expects ${versions.schema.known}`,
            advice:
              'Restart the nodes of the older version. The first node of the newer version migrates the database.',
          },
        ]),
  ]
}

const findWorkers = ({ nodes }: ServiceHealth): Finding[] =>
  nodes
    .filter(({ alive }) => alive)
    .flatMap(({ id, workers }) =>
      workers
        .filter(({ consecutiveFailures }) => consecutiveFailures > 0)
        .map(({ name, consecutiveFailures, lastError }) => ({
          tone: consecutiveFailures > 2 && name !== traces ? ('danger' as const) : ('warning' as const),
          title: `“${name}” has failed ${consecutiveFailures === 1 ? 'once' : `${consecutiveFailures} times in a row`}${lastError ? ` (${lastError})` : ''}`,
          advice:
            name === traces
              ? 'The collector at OTEL_EXPORTER_OTLP_ENDPOINT does not accept traces. Requests continue; their traces are lost until it does.'
              : `It is retried automatically. The log of the node ${id.slice(0, 8)} has the whole error.`,
        })),
    )

const findDisks = ({ nodes }: ServiceHealth): Finding[] =>
  nodes.flatMap(({ id, alive, disk }) =>
    alive && disk && disk.freeBytes < disk.totalBytes * minDiskShare
      ? [
          {
            tone: 'danger' as const,
            title: `The disk of the node ${id.slice(0, 8)} has ${toSize(disk.freeBytes)} of ${toSize(disk.totalBytes)} left`,
            advice: 'Free space or enlarge the disk. A database on a full disk refuses every write.',
          },
        ]
      : [],
  )

const findQueues = ({ queues, at }: ServiceHealth): Finding[] =>
  queues.flatMap(({ name, due, oldestDueAt }) => {
    const seconds = oldestDueAt === null ? 0 : (Date.parse(at) - Date.parse(oldestDueAt)) / 1000
    return seconds > maxQueueSeconds
      ? [
          {
            tone: 'warning' as const,
            title: `${toAmount(due)} of the queue ${name} wait, the oldest for ${toSpan(seconds)}`,
            advice: queueAdvice[name] ?? 'Start more nodes with the worker role, and check their logs.',
          },
        ]
      : []
  })

const findLags = ({ lags }: ServiceHealth): Finding[] =>
  (['index', 'embedding'] as const).flatMap((kind) => {
    const lag = lags[kind]
    return lag && lag.behind > maxLag
      ? [
          {
            tone: 'warning' as const,
            title: `${kind === 'index' ? 'The search index' : 'Embedding'} is ${toAmount(lag.behind)} behind in ${plural(lag.brains, 'Brain')}`,
            advice:
              kind === 'index'
                ? 'Search results stay correct but get slower. Start more nodes with the worker role if the lag does not shrink.'
                : 'Semantic search misses new content until then. Start more nodes with the worker role if the lag does not shrink.',
          },
        ]
      : []
  })

const findWebhooks = ({ webhooks }: ServiceHealth): Finding[] =>
  webhooks
    .filter(({ behind }) => behind > maxWebhookLag)
    .map(({ id, brainId, behind }) => ({
      tone: 'warning' as const,
      title: `The webhook ${id} of the Brain ${brainId} is ${plural(behind, 'event')} behind`,
      advice: 'Its receiver is slow or fails. Events wait in order. The page of the webhook shows the responses.',
    }))

const findDatabase = ({ database }: ServiceHealth): Finding[] => {
  const { connections, maxConnections, oldestTransactionSeconds } = database
  return [
    ...(connections > maxConnections * maxConnectionShare
      ? [
          {
            tone: 'danger' as const,
            title: `${connections} of ${maxConnections} database connections are in use`,
            advice: 'Raise max_connections in PostgreSQL, or lower NOEMA_DATABASE_POOL of the nodes.',
          },
        ]
      : []),
    ...(oldestTransactionSeconds !== null && oldestTransactionSeconds > maxTransactionSeconds
      ? [
          {
            tone: 'warning' as const,
            title: `A database transaction has been open for ${toSpan(oldestTransactionSeconds)}`,
            advice:
              'It prevents the cleanup of old rows. Find it in pg_stat_activity. Backups and imports can take long.',
          },
        ]
      : []),
  ]
}

const findBackups = ({ at, backups: { last, archive }, database }: ServiceHealth): Finding[] => {
  const [newest] = last
  const seconds = newest ? (Date.parse(at) - Date.parse(newest.madeAt)) / 1_000 : undefined
  return [
    ...(archive?.failing
      ? [
          {
            tone: 'danger' as const,
            title: 'The write-ahead log of the database is not being archived',
            advice: database.builtIn
              ? 'postgres.log in the data folder has the reason. Until it works, you cannot restore to a later time, and the log fills the disk.'
              : 'The log of the database server has the reason. Until it works, the write-ahead log fills the disk.',
          },
        ]
      : []),
    // The tools of an external database server are unknown.
    ...(seconds === undefined && database.builtIn
      ? [
          {
            tone: 'warning' as const,
            title: 'No backup has been made',
            advice: 'Run noema backup on the host of the service, then every night with cron or a timer.',
          },
        ]
      : []),
    ...(seconds !== undefined && seconds > oldBackupSeconds
      ? [
          {
            tone: 'warning' as const,
            title: `The last backup was made ${toSpan(seconds)} ago`,
            advice: 'Run noema backup, and check the job that should run it every night.',
          },
        ]
      : []),
  ]
}

const findMail = ({ mail }: ServiceHealth): Finding[] =>
  mail.delivers
    ? []
    : [
        {
          tone: 'warning',
          title: 'No mail server is set up',
          advice: 'Emails are stored but not sent. Read them on the Mail page, and set NOEMA_SMTP_URL to send them.',
        },
      ]

/** All problems, most severe first. */
export const listFindings = (health: ServiceHealth): Finding[] => {
  const all = [
    ...[findNodes, findDisks, findDatabase, findBackups, findWorkers],
    ...[findQueues, findLags, findWebhooks, findMail],
  ].flatMap((find) => find(health))
  return [...all.filter(({ tone }) => tone === 'danger'), ...all.filter(({ tone }) => tone === 'warning')]
}
