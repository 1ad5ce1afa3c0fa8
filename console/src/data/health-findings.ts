import { oldBackupSeconds } from '@noema/contracts/backup-age.ts'
import type { ServiceHealth } from '@noema/contracts/service-health.ts'
import { toSize } from '@noema/contracts/sizes.ts'
import { toSpan } from './spans.ts'

// What of the health of the service an operator should look at, and what to do about it.

export type Finding = { tone: 'danger' | 'warning'; title: string; advice: string }

/** For how long something may be due before somebody should look: workers look every few seconds. */
const maxQueueSeconds = 120
const maxConnectionShare = 0.8
const maxTransactionSeconds = 300
const minDiskShare = 0.1
const maxBehind = 1_000
const maxWebhookBehind = 10_000
/** What sends traces to the operator's collector stands among the workers, and is no danger to the service. */
const traces = 'send traces'

const queueAdvice: Readonly<Record<string, string>> = {
  mail: 'Look at the failed mails of the page Mail, and whether the mail server of NOEMA_SMTP_URL answers.',
  'Brain webhooks':
    'Receivers that answer slowly or not at all wait. Look at the webhooks of the Brains, and start more nodes with the role worker.',
  deliveries: 'Receivers of organization webhooks answer slowly or not at all. Start more nodes with the role worker.',
  runs: 'More runs are started than nodes carry out. Start more nodes with the role worker, or look at the language models.',
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
            title: 'No node works in the background',
            advice: 'Nothing is indexed, delivered or run. Start a node whose NOEMA_ROLES has worker.',
          },
        ]),
    ...gone.map(({ id }) => ({
      tone: 'warning' as const,
      title: `The node ${id.slice(0, 8)} has fallen silent`,
      advice:
        'It was killed or cannot reach the database. Look at its log; it is forgotten a day after it was last heard.',
    })),
    ...(others.size > 1
      ? [
          {
            tone: 'warning' as const,
            title: `Nodes of ${others.size} versions run: ${[...others].join(', ')}`,
            advice: 'That is right while you upgrade. Restart the older ones with the newer version.',
          },
        ]
      : []),
    ...(versions.schema.applied === versions.schema.known
      ? []
      : [
          {
            tone: 'warning' as const,
            title: `The database is at migration ${versions.schema.applied}, this node knows ${versions.schema.known}`,
            advice:
              'Restart the nodes of the older version; the first of the newer one brings the database up to date.',
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
              ? 'The collector of OTEL_EXPORTER_OTLP_ENDPOINT does not take traces. Requests go on; their traces are lost until it does.'
              : `It is tried again by itself. The log of the node ${id.slice(0, 8)} has the whole error.`,
        })),
    )

const findDisks = ({ nodes }: ServiceHealth): Finding[] =>
  nodes.flatMap(({ id, alive, disk }) =>
    alive && disk && disk.freeBytes < disk.totalBytes * minDiskShare
      ? [
          {
            tone: 'danger' as const,
            title: `The disk of the node ${id.slice(0, 8)} has ${toSize(disk.freeBytes)} of ${toSize(disk.totalBytes)} left`,
            advice: 'Make room or enlarge it. A database whose disk is full refuses every write.',
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
            title: `${due.toLocaleString('en')} of the queue ${name} wait, the oldest for ${toSpan(seconds)}`,
            advice: queueAdvice[name] ?? 'Start more nodes with the role worker, and look at their logs.',
          },
        ]
      : []
  })

const findLags = ({ lags }: ServiceHealth): Finding[] =>
  (['index', 'embedding'] as const).flatMap((kind) => {
    const lag = lags[kind]
    return lag && lag.behind > maxBehind
      ? [
          {
            tone: 'warning' as const,
            title: `${kind === 'index' ? 'The search index' : 'Embedding'} is ${lag.behind.toLocaleString('en')} behind in ${lag.brains.toLocaleString('en')} Brains`,
            advice:
              kind === 'index'
                ? 'Searches stay right and get slower. Start more nodes with the role worker if it does not shrink.'
                : 'Search by meaning misses what is new until then. Start more nodes with the role worker if it does not shrink.',
          },
        ]
      : []
  })

const findWebhooks = ({ webhooks }: ServiceHealth): Finding[] =>
  webhooks
    .filter(({ behind }) => behind > maxWebhookBehind)
    .map(({ id, brainId, behind }) => ({
      tone: 'warning' as const,
      title: `The webhook ${id} of the Brain ${brainId} is ${behind.toLocaleString('en')} events behind`,
      advice: 'Its receiver is slow or fails. Events wait in their order; its page in the console shows the answers.',
    }))

const findDatabase = ({ database }: ServiceHealth): Finding[] => {
  const { connections, maxConnections, oldestTransactionSeconds } = database
  return [
    ...(connections > maxConnections * maxConnectionShare
      ? [
          {
            tone: 'danger' as const,
            title: `${connections} of ${maxConnections} connections of the database are taken`,
            advice: 'Raise max_connections of PostgreSQL, or lower NOEMA_DATABASE_POOL of the nodes.',
          },
        ]
      : []),
    ...(oldestTransactionSeconds !== null && oldestTransactionSeconds > maxTransactionSeconds
      ? [
          {
            tone: 'warning' as const,
            title: `A transaction of the database has lasted ${toSpan(oldestTransactionSeconds)}`,
            advice:
              'It keeps old rows from being cleaned up. Find it in pg_stat_activity; a backup or an import may be long.',
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
            title: 'The write-ahead log of the database is not archived',
            advice: database.builtIn
              ? 'postgres.log in the data folder says why. Until it is, no later moment can be restored, and the log fills the disk.'
              : 'The log of the database server says why. Until it is, the log fills its disk.',
          },
        ]
      : []),
    // What the tools of a server of the operator's do is not known.
    ...(seconds === undefined && database.builtIn
      ? [
          {
            tone: 'warning' as const,
            title: 'No backup has been made',
            advice: 'Run noema backup where the service runs, and then each night by cron or a timer.',
          },
        ]
      : []),
    ...(seconds !== undefined && seconds > oldBackupSeconds
      ? [
          {
            tone: 'warning' as const,
            title: `The last backup was made ${toSpan(seconds)} ago`,
            advice: 'Run noema backup, and look at what should run it each night.',
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
          advice: 'Mails are only stored. Read them on the page Mail, and set NOEMA_SMTP_URL so that they leave.',
        },
      ]

/** What is wrong, the worst first. */
export const listFindings = (health: ServiceHealth): Finding[] => {
  const all = [
    ...[findNodes, findDisks, findDatabase, findBackups, findWorkers],
    ...[findQueues, findLags, findWebhooks, findMail],
  ].flatMap((find) => find(health))
  return [...all.filter(({ tone }) => tone === 'danger'), ...all.filter(({ tone }) => tone === 'warning')]
}
