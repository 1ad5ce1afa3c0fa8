import type { ServiceHealth } from '@noema/contracts/service-health.ts'
import { expect, test } from 'vitest'
import { listFindings } from './health-findings.ts'

const at = '2026-01-01T12:00:00.000Z'

const node: ServiceHealth['nodes'][number] = {
  ...{
    id: 'node-one',
    version: '1.0.0',
    roles: ['http', 'worker'],
    startedAt: at,
    seenAt: at,
    alive: true,
    disk: null,
  },
  workers: [{ name: 'deliver mail', lastSuccess: at, consecutiveFailures: 0, lastError: null }],
}

const well: ServiceHealth = {
  at,
  versions: { service: '1.0.0', node: 'v24', postgresql: '17', schema: { applied: 48, known: 48 } },
  nodes: [node],
  queues: [{ name: 'mail', due: 1, oldestDueAt: '2026-01-01T11:59:50.000Z' }],
  vectors: null,
  webhooks: [],
  lags: { index: { brains: 0, behind: 0 }, embedding: null },
  mail: { delivers: true },
  backups: { last: [{ kind: 'file', madeAt: '2026-01-01T03:00:00.000Z', bytes: 1 }], archive: null },
  database: { builtIn: true, bytes: 1, connections: 10, maxConnections: 100, oldestTransactionSeconds: 1 },
}

const titles = (health: Partial<ServiceHealth>) => listFindings({ ...well, ...health }).map(({ title }) => title)

test('a healthy service has no findings', () => {
  expect(titles({})).toEqual([])
})

test.each<[string, Partial<ServiceHealth>]>([
  ['No mail server is set up', { mail: { delivers: false } }],
  [
    'The webhook whk_1 of the Brain brn_1 is 20,000 events behind',
    { webhooks: [{ id: 'whk_1', brainId: 'brn_1', behind: 20_000 }] },
  ],
  ['No node runs background jobs', { nodes: [{ ...node, roles: ['http'] }] }],
  ['The node node-one stopped reporting', { nodes: [{ ...node, alive: false }] }],
  ['Nodes of 2 versions run: 1.0.0, 1.1.0', { nodes: [node, { ...node, id: 'node-two', version: '1.1.0' }] }],
  [
    'The database is at migration 47, this node expects 48',
    { versions: { ...well.versions, schema: { applied: 47, known: 48 } } },
  ],
  [
    '“deliver mail” has failed 3 times in a row (unavailable)',
    {
      nodes: [
        {
          ...node,
          workers: [{ name: 'deliver mail', lastSuccess: at, consecutiveFailures: 3, lastError: 'unavailable' }],
        },
      ],
    },
  ],
  [
    'The disk of the node node-one has 1 GiB of 100 GiB left',
    { nodes: [{ ...node, disk: { freeBytes: 2 ** 30, totalBytes: 100 * 2 ** 30 } }] },
  ],
  [
    '1,200 of the queue Brain webhooks wait, the oldest for 5 min',
    { queues: [{ name: 'Brain webhooks', due: 1_200, oldestDueAt: '2026-01-01T11:55:00.000Z' }] },
  ],
  ['The search index is 2,000 behind in 3 Brains', { lags: { index: { brains: 3, behind: 2_000 }, embedding: null } }],
  ['90 of 100 database connections are in use', { database: { ...well.database, connections: 90 } }],
  [
    'A database transaction has been open for 10 min',
    { database: { ...well.database, oldestTransactionSeconds: 600 } },
  ],
  ['No backup has been made', { backups: { last: [], archive: null } }],
  [
    'The last backup was made 3 days ago',
    { backups: { last: [{ kind: 'base', madeAt: '2025-12-29T12:00:00.000Z', bytes: 1 }], archive: null } },
  ],
  [
    'The write-ahead log of the database is not being archived',
    { backups: { ...well.backups, archive: { lastSuccess: null, failing: true } } },
  ],
])('"%s" is found, with what to do', (title, health) => {
  const [finding, ...others] = listFindings({ ...well, ...health })
  expect(others).toEqual([])
  expect(finding).toMatchObject({ title, advice: expect.stringMatching(/\.$/) })
})

test('an external database server may have its own backup tools', () => {
  expect(titles({ backups: { last: [], archive: null }, database: { ...well.database, builtIn: false } })).toEqual([])
})

test('errors come before warnings', () => {
  const found = listFindings({ ...well, mail: { delivers: false }, nodes: [{ ...node, roles: ['http'] }] })
  expect(found.map(({ tone }) => tone)).toEqual(['danger', 'warning'])
})

test('a failing trace collector is a warning only', () => {
  const worker = { name: 'send traces', lastSuccess: null, consecutiveFailures: 9, lastError: 'not_taken' }
  const [finding] = listFindings({ ...well, nodes: [{ ...node, workers: [worker] }] })
  expect(finding).toMatchObject({ tone: 'warning', advice: expect.stringContaining('OTEL_EXPORTER_OTLP_ENDPOINT') })
})
