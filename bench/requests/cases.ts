import { invoiceBodies, makeBatch } from '../parts/invoices.ts'

/** The figures of a case, in their order. CPU is user and system time for one request. */
export const measures = {
  service: 'service CPU',
  postgres: 'PostgreSQL CPU',
  total: 'CPU of both',
  p50: 'p50',
  p99: 'p99',
  rate: 'rate',
} as const
export type Measure = keyof typeof measures

/** A bound on the ratio of Noema's figure to the floor's, or on the figure itself if there is no floor. */
export type Goal = { min: number } | { max: number }

type Sent = { method: string; paths: readonly string[]; bodies: readonly string[] }

/** The filled Brains of a case. */
export type Filled = {
  /** The paths of whole pages of events, and the positions after which they begin. */
  pages: readonly { path: string; after: number }[]
  /** Questions, each with its vector as base64url. */
  questions: readonly { text: string; vector: string }[]
}

export type Case = {
  name: string
  clients: number
  /** The number of requests in a turn. */
  count: number
  /** True if it needs the service that embeds texts. */
  isSearch?: boolean
  toRequests(filled: Filled): Sent
  /** The floor's server and requests; a batch is inserted without a server. */
  floor: 'reads' | 'search' | 'writes' | 'inserts'
  toFloorRequests(filled: Filled): Sent
  goals: Partial<Record<Measure, Goal>>
}

export const readBrain = '/v1/brains/reads'
const textBrain = '/v1/brains/texts'
export const batchSize = 1_000

const get = (...paths: string[]): Sent => ({ method: 'GET', paths, bodies: [] })
const post = (path: string, bodies: readonly string[]): Sent => ({ method: 'POST', paths: [path], bodies })

const readers = 8
const writers = 64
const search: Omit<Case, 'name' | 'toRequests'> = {
  ...{ clients: 1, count: 100, isSearch: true, floor: 'search', goals: {} },
  toFloorRequests: ({ questions }) =>
    get(...questions.map(({ text, vector }) => `/both?${new URLSearchParams({ q: text, vector })}`)),
}
const writing = { floor: 'writes', toFloorRequests: () => post('/', invoiceBodies) } as const
const writeRecords = () => post('/v1/brains/writes/records', invoiceBodies)

export const cases: readonly Case[] = [
  {
    ...{ name: 'whoami', clients: readers, count: 3_000, floor: 'reads', goals: {} },
    toRequests: () => get('/v1/whoami'),
    toFloorRequests: () => get('/whoami'),
  },
  {
    ...{ name: 'GET record', clients: readers, count: 3_000, floor: 'reads' },
    toRequests: () => get(`${readBrain}/records/known`),
    toFloorRequests: () => get('/record?at=known'),
    goals: { service: { max: 1.4 }, postgres: { max: 1.4 } },
  },
  {
    ...{ name: 'list of 50 records', clients: readers, count: 1_500, floor: 'reads', goals: {} },
    toRequests: () => get(`${readBrain}/records?limit=50`),
    toFloorRequests: () => get('/list?at='),
  },
  {
    ...{ name: 'page of 500 events', clients: readers, count: 500, floor: 'reads' },
    toRequests: ({ pages }) => get(...pages.map(({ path }) => path)),
    toFloorRequests: ({ pages }) => get(...pages.map(({ after }) => `/page?at=${after}`)),
    goals: { service: { max: 1.25 }, postgres: { max: 1.3 } },
  },
  {
    ...{ name: 'search', ...search },
    toRequests: ({ questions }) =>
      get(...questions.map(({ text }) => `${textBrain}/search?${new URLSearchParams({ q: text })}`)),
  },
  {
    ...{ name: 'context', ...search },
    toRequests: ({ questions }) =>
      post(
        `${textBrain}/context`,
        questions.map(({ text }) => JSON.stringify({ query: text })),
      ),
  },
  { name: 'one write alone', clients: 1, count: 250, ...writing, toRequests: writeRecords, goals: { p50: { max: 2 } } },
  {
    name: 'writes',
    clients: writers,
    count: 2_500,
    ...writing,
    toRequests: writeRecords,
    goals: { rate: { min: 0.75 } },
  },
  {
    ...{ name: 'batch of 1,000', clients: 1, count: 10, floor: 'inserts', goals: { rate: { min: 0.6 } } },
    toRequests: () => post('/v1/brains/writes/batch', [JSON.stringify(makeBatch(batchSize))]),
    toFloorRequests: () => post('/', []),
  },
]
