import { z } from 'zod'
import { itemId, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

const count = z.int().min(0)

/** The state of a background worker of a node. Workers that lease due items have `turns`. */
const nodeWorker = z.object({
  name: z.string().describe('The name of the background work.'),
  lastSuccess: timestamp.nullable().describe('When it last succeeded; null if never.'),
  consecutiveFailures: count.describe('How many attempts have failed since the last success.'),
  lastError: z.string().nullable().describe('The kind of the last failure while it lasts'),
  turns: z
    .object({
      running: count.describe('How many are running.'),
      pending: count.describe('How many runs wait for a place.'),
      lagSeconds: z.number().min(0).describe('How many seconds the oldest one has waited.'),
    })
    .optional()
    .describe('Turns under way, keys that are asked for next, and for how long the oldest was due'),
})

/** A node that reported in the last day. `alive` is false if its last report is older than half a minute. */
const serviceNode = z.object({
  id: itemId,
  version: z.string().describe('The version of the software that the node runs.'),
  roles: z.array(z.string()).describe('The roles of the node: requests, background work, or both.'),
  startedAt: timestamp,
  seenAt: timestamp,
  alive: z.boolean().describe('True if the node was heard of lately.'),
  disk: z
    .object({
      freeBytes: count.describe('How many bytes are free.'),
      totalBytes: count.describe('How many bytes there are.'),
    })
    .nullable()
    .describe('Of its data folder; null where it has none'),
  workers: z.array(nodeWorker).describe('The background work of the node.'),
})

/** The due items of a queue, counted up to 10,000. */
const queue = z.object({
  name: z.string().describe('The name of the queue.'),
  due: count.describe('How many items wait to be worked on.'),
  oldestDueAt: timestamp.nullable().describe('Since when the oldest item has waited; null if none does.'),
})

/** The number of Brains with content that is not indexed or embedded yet, and the number of missing entries. */
const behind = z.object({
  brains: count.describe('How many Brains are behind.'),
  behind: count.describe('How far behind it is.'),
})

/**
 * The times of Noema's last backups of the database. Backups by the operator's own tools, such as pg_dump or a provider's
 * snapshots, are not known.
 */
const backups = z.object({
  last: z
    .array(
      z.object({
        kind: z
          .enum(['file', 'base'])
          .describe('`file`: made by `noema backup`; `base`: by `noema backup --base`, of the built-in database'),
        madeAt: timestamp.describe('The backup has everything that was written before this time'),
        bytes: count.describe('How large it is, in bytes.'),
      }),
    )
    .describe('The newest backup of each kind, the newest first; empty where there never was one'),
  archive: z
    .object({
      lastSuccess: timestamp.nullable().describe('When a segment was last archived; null if never'),
      failing: z.boolean().describe('Whether the last attempt to archive a segment failed'),
    })
    .nullable()
    .describe('The state of the archive of the write-ahead log; null if the database server has none'),
})

/** The health of the service, from the last five seconds. */
export const serviceHealth = z.object({
  at: timestamp,
  versions: z
    .object({
      service: z.string().describe('The version of the service.'),
      node: z.string().describe('The version of Node.js.'),
      postgresql: z.string().describe('The version of PostgreSQL.'),
      schema: z
        .object({
          applied: count.describe('The number of the newest migration that the database has.'),
          known: count.describe('The number of the newest migration that this version of the service knows.'),
        })
        .describe('The last migration that the database has, and the last that this node knows'),
    })
    .describe('The versions of each part of the service.'),
  nodes: z.array(serviceNode).describe('The nodes of the service.'),
  queues: z.array(queue).describe('The queues of background work.'),
  lags: z
    .object({
      index: behind.nullable().describe('In events; null where there are more than 20,000 Brains'),
      embedding: behind.nullable().describe('In passages; null as above, and where search by meaning is off'),
    })
    .describe('How far background work is behind.'),
  vectors: z
    .object({
      space: z.string().describe('The vectors of the model that is set: those of another model have another one'),
      currentBrains: count.describe('How many Brains are searched by vectors of the model that is set'),
      formerBrains: count.describe(
        'How many are searched by the vectors of an earlier model until all of their passages are embedded again',
      ),
    })
    .nullable()
    .describe('By which vectors Brains are searched; null as `lags.embedding`'),
  webhooks: z
    .array(
      z.object({
        id: itemId,
        brainId: z.string().describe('The id of the Brain.'),
        behind: count.describe('How many events are still to be delivered.'),
      }),
    )
    .describe('Webhooks of Brains that have not been sent all events yet: the fifty that lack most'),
  mail: z
    .object({ delivers: z.boolean().describe('Whether mails are sent, or only kept.') })
    .describe('Whether a mail server is set up that delivers mail'),
  backups: backups.describe('When Noema last backed the database up, and how the archive of its log fares.'),
  database: z
    .object({
      bytes: count.describe('How large it is, in bytes.'),
      builtIn: z.boolean().describe('Whether it is the PostgreSQL that Noema runs itself'),
      connections: count.describe('How many connections are open.'),
      maxConnections: count.describe('How many connections there may be.'),
      oldestTransactionSeconds: z
        .number()
        .min(0)
        .nullable()
        .describe('How old the oldest open transaction is, in seconds; null if there is none.'),
    })
    .describe('How the database is doing.'),
})
export type ServiceHealth = z.infer<typeof serviceHealth>

export const readServiceHealth = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/health',
  summary: 'Read the health of the service',
  description: 'Reads the health of the service: its versions, nodes, their workers, queues, and the database.',
  access: 'administrator',
  query: z.object({}),
  status: [200],
  result: serviceHealth,
})
