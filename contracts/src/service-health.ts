import { z } from 'zod'
import { timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

const count = z.int().min(0)

/** How a worker of a node fares: what repeats in the background. `turns` are of those that lease what is due. */
const nodeWorker = z.object({
  name: z.string(),
  lastSuccess: timestamp.nullable(),
  consecutiveFailures: count,
  lastError: z.string().nullable().meta({ description: 'The kind of the last failure while it lasts' }),
  turns: z
    .object({ running: count, pending: count, lagSeconds: z.number().min(0) })
    .optional()
    .meta({ description: 'Turns under way, keys that are asked for next, and for how long the oldest was due' }),
})

/** A node that told of itself in the last day. `alive` is false where it has not for half a minute. */
const serviceNode = z.object({
  id: z.string(),
  version: z.string(),
  roles: z.array(z.string()),
  startedAt: timestamp,
  seenAt: timestamp,
  alive: z.boolean(),
  disk: z
    .object({ freeBytes: count, totalBytes: count })
    .nullable()
    .meta({ description: 'Of its data folder; null where it has none' }),
  workers: z.array(nodeWorker),
})

/** What waits in a queue: counted up to 10,000. */
const queue = z.object({ name: z.string(), due: count, oldestDueAt: timestamp.nullable() })

/** How many Brains have content that is not indexed or embedded yet, and how much they lack. */
const behind = z.object({ brains: count, behind: count })

/** When Noema last backed the database up. What the operator's own tools do, such as pg_dump or a provider's snapshots, is not known. */
const backups = z.object({
  last: z
    .array(
      z.object({
        kind: z.enum(['file', 'base']).meta({
          description: '`file`: made by `noema backup`; `base`: by `noema backup --base`, of the built-in database',
        }),
        madeAt: timestamp.meta({ description: 'What was written before this is in it' }),
        bytes: count,
      }),
    )
    .meta({ description: 'The newest backup of each kind, the newest first; empty where there never was one' }),
  archive: z
    .object({
      lastSuccess: timestamp.nullable().meta({ description: 'When a segment was last archived; null if never' }),
      failing: z.boolean().meta({ description: 'Whether the last attempt to archive a segment failed' }),
    })
    .nullable()
    .meta({ description: 'How the archive of the write-ahead log fares; null where the database server has none' }),
})

/** How the service fares, of the last five seconds. */
export const serviceHealth = z.object({
  at: timestamp,
  versions: z.object({
    service: z.string(),
    node: z.string(),
    postgresql: z.string(),
    schema: z.object({ applied: count, known: count }).meta({
      description: 'The last migration that the database has, and the last that this node knows',
    }),
  }),
  nodes: z.array(serviceNode),
  queues: z.array(queue),
  lags: z.object({
    index: behind.nullable().meta({ description: 'In events; null where there are more than 20,000 Brains' }),
    embedding: behind
      .nullable()
      .meta({ description: 'In passages; null as above, and where search by meaning is off' }),
  }),
  vectors: z
    .object({
      space: z
        .string()
        .meta({ description: 'The vectors of the model that is set: those of another model have another one' }),
      currentBrains: count.meta({ description: 'How many Brains are searched by vectors of the model that is set' }),
      formerBrains: count.meta({
        description: 'How many are searched by those of a former model, until all of their passages are embedded anew',
      }),
    })
    .nullable()
    .meta({ description: 'By which vectors Brains are searched; null as `lags.embedding`' }),
  webhooks: z
    .array(z.object({ id: z.string(), brainId: z.string(), behind: count }))
    .meta({ description: 'Webhooks of Brains that have not been sent all events yet: the fifty that lack most' }),
  mail: z.object({ delivers: z.boolean() }).meta({ description: 'Whether a mail server is set up that delivers mail' }),
  backups,
  database: z.object({
    bytes: count,
    builtIn: z.boolean().meta({ description: 'Whether it is the PostgreSQL that Noema runs itself' }),
    connections: count,
    maxConnections: count,
    oldestTransactionSeconds: z.number().min(0).nullable(),
  }),
})
export type ServiceHealth = z.infer<typeof serviceHealth>

/** Tells how the service fares: its versions, the nodes that live, their workers, what waits, and the database. */
export const readServiceHealth = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/health',
  summary: 'Tell how the service fares',
  access: 'administrator',
  query: z.object({}),
  status: [200],
  result: serviceHealth,
})
