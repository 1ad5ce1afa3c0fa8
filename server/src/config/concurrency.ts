import type { ShareLimits } from '../shared/concurrency/fair-limiter.ts'
import { type Settings, shares, twoShares, type ValuesOf, wholeNumber } from './setting.ts'

/** Settings of how much a node does at once, and for whom. */
export const concurrencySettings = {
  NOEMA_MAX_CONNECTIONS: {
    schema: twoShares('10000/2000', 'a network').transform(({ node, share }) => ({ node, network: share })),
    about:
      'Connections of callers at once: to one node, and of one IPv4 address or IPv6 /64. More are closed. Those of NOEMA_TRUSTED_PROXIES have no share.',
    example: '10000/2000',
  },
  NOEMA_MAX_REQUESTS: {
    schema: shares('256/128/128'),
    about: 'Requests in progress at once: on one node, of one organization, and of one key. More wait.',
    example: '256/128/128',
  },
  NOEMA_MAX_WAIT: {
    schema: wholeNumber(1, 600_000).default(1_000),
    about: 'Milliseconds that a request may wait. One that would wait longer is refused at once.',
    example: '1000',
  },
  NOEMA_MAX_STREAMS: {
    schema: shares('5000/1000/500'),
    about: 'Event streams open at once: on one node, of one organization, and of one key.',
    example: '5000/1000/500',
  },
  NOEMA_MAX_WAITING: {
    schema: wholeNumber(1, 1_000_000).default(2_000),
    about: 'Writes of one node that may wait for the same Brain. More are refused.',
    example: '2000',
  },
  NOEMA_MAX_TRANSFERS: {
    schema: shares('8/4/4'),
    about:
      'Exports and imports in progress at once: on one node, of one organization, and of one key. Each holds a database connection; together they use at most half of those of the node.',
    example: '8/4/4',
  },
  NOEMA_MAX_FILES: {
    schema: shares('32/8/4'),
    about:
      'Files that are sent or read at once: on one node, of one organization, and of one key or address. More wait.',
    example: '32/8/4',
  },
  NOEMA_MAX_FILE_RATE: {
    schema: twoShares('32/16', 'an organization'),
    about:
      'Megabytes of files that are sent and read in a second while organizations share a node: on one node, and of one organization. A byte of an export or import counts as eight. One that has the node to itself is not limited.',
    example: '32/16',
  },
  NOEMA_MAX_EXTRACTIONS: {
    schema: shares('2/1/1'),
    about:
      'Files whose text is extracted at once: on one node, of one organization, and of one key. Each takes a process. More wait. Slow ones may be half as many more.',
    example: '2/1/1',
  },
  NOEMA_MAX_CODE: {
    schema: shares('2/1/1'),
    about:
      'Calls of run_code at once: on one node, of one organization, and of one run. Each takes a process, for ten seconds at most. More wait.',
    example: '2/1/1',
  },
  NOEMA_MAX_BODIES: {
    schema: shares('256/96/64'),
    about:
      'Megabytes of request bodies in memory at once: on one node, of one organization, and of one key or address.',
    example: '256/96/64',
  },
  NOEMA_MAX_WEBHOOK_TESTS: {
    schema: shares('200/20/3'),
    about: 'Tests of webhooks and providers in progress at once: on one node, of one organization, and of one target.',
    example: '200/20/3',
  },
  NOEMA_MAX_RUNS: {
    schema: twoShares('400/200', 'an organization').transform(({ node, share }) => ({ node, organization: share })),
    about: 'Runs of agents in progress at once: on one node, and of one organization. More wait.',
    example: '400/200',
  },
} as const satisfies Settings

const MiB = 1024 * 1024

const toBytes = ({ node, organization, key }: ShareLimits): ShareLimits => ({
  node: node * MiB,
  organization: organization * MiB,
  key: key * MiB,
})

export const readConcurrency = (
  values: ValuesOf<typeof concurrencySettings>,
  { databasePool }: { databasePool: number },
) => {
  const { NOEMA_MAX_TRANSFERS: transfers, NOEMA_MAX_FILE_RATE: fileRate } = values
  return {
    maxConnections: values.NOEMA_MAX_CONNECTIONS,
    /** Requests in progress at once, and how long others wait for a slot. */
    maxRequests: values.NOEMA_MAX_REQUESTS,
    maxWaitMilliseconds: values.NOEMA_MAX_WAIT,
    /** The most writes that may wait for one Brain. */
    waitingPerBrain: values.NOEMA_MAX_WAITING,
    runs: values.NOEMA_MAX_RUNS,
    byteRates: { node: fileRate.node * MiB, organization: fileRate.share * MiB },
    open: {
      streams: values.NOEMA_MAX_STREAMS,
      // Each transfer holds a database connection, and half of them stay free for everything else.
      transfers: { ...transfers, node: Math.min(transfers.node, Math.floor(databasePool / 2)) },
      files: values.NOEMA_MAX_FILES,
      extractions: values.NOEMA_MAX_EXTRACTIONS,
      code: values.NOEMA_MAX_CODE,
      bodies: toBytes(values.NOEMA_MAX_BODIES),
      tests: values.NOEMA_MAX_WEBHOOK_TESTS,
    },
  }
}
