import { z } from 'zod'
import { commaList, type Settings, type ValuesOf, wholeNumber } from './setting.ts'

/** Settings of one node: its address, its roles and its log. */
export const serverSettings = {
  NOEMA_PORT: { schema: wholeNumber(0, 65535).default(4100), about: 'Port to listen on.', example: '4100' },
  NOEMA_HOST: { schema: z.string().min(1).default('127.0.0.1'), about: 'Address to listen on.', example: '127.0.0.1' },
  NOEMA_NODE_ADDRESS: {
    schema: z
      .string()
      .regex(/^(\[[0-9a-fA-F:]+\]|[^\s:/]+):\d{1,5}$/, 'a host and a port, such as 10.0.0.5:4101')
      .optional(),
    about:
      'Host and port where the other nodes reach this one, and where it listens for them. Nodes that have such an address make the writes to each Brain together, on the node that a hash of the Brain chooses; without it each node makes those that it receives. The connections are encrypted and need the same NOEMA_SECRET.',
    example: '10.0.0.5:4101',
  },
  NOEMA_ROLES: {
    schema: commaList.pipe(z.array(z.enum(['http', 'worker'])).min(1)).default(['http', 'worker']),
    about: 'What this node does: answer requests (`http`), run background work (`worker`), or both.',
    example: 'http,worker',
  },
  NOEMA_DRAIN_SECONDS: {
    schema: wholeNumber(0, 600).default(0),
    about:
      'Seconds for which a node keeps answering after SIGTERM. During this time `/readyz` answers 503 and every response closes its connection, so a proxy moves to other nodes before any request fails. Behind a proxy, set it longer than the proxy takes to notice.',
    example: '10',
  },
  NOEMA_LOG_LEVEL: {
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    about: 'Minimum severity of log lines. `debug` adds a line for each request, `trace` one for each SQL statement.',
    example: 'info',
  },
  NOEMA_METRICS_PORT: {
    schema: wholeNumber(0, 65535).optional(),
    about: 'Separate port on which Prometheus reads `GET /metrics`. Do not expose it to the public.',
    example: '9464',
  },
  NOEMA_METRICS_TOKEN: {
    schema: z.string().min(16, '16 characters or more').optional(),
    about:
      'Bearer token that `GET /metrics` requires, on the separate port if there is one and else on the port of the service. Without port and token there is no `/metrics`.',
    example: 'any-16-or-more-random-characters',
    secret: true,
  },
} as const satisfies Settings

export const readServer = (values: ValuesOf<typeof serverSettings>) => ({
  port: values.NOEMA_PORT,
  host: values.NOEMA_HOST,
  roles: values.NOEMA_ROLES,
  nodeAddress: values.NOEMA_NODE_ADDRESS,
  /** Seconds for which a node keeps answering after the request to stop, so that proxies can turn away from it. */
  drainSeconds: values.NOEMA_DRAIN_SECONDS,
  logLevel: values.NOEMA_LOG_LEVEL,
  /** The port or the token of the metrics, or neither if they are off. */
  metrics: { port: values.NOEMA_METRICS_PORT, token: values.NOEMA_METRICS_TOKEN },
})
