import { hash } from 'node:crypto'
import { isObject } from '@noema/contracts/json.ts'
import type { Adapter } from './auth-database.ts'

// Only the cookie has a session's token. Rows hold its SHA-256, so that a copy of the database gives no one a session. Better Auth
// has no option for that, so this adapter hashes tokens on their way to the rows.

type Where = NonNullable<Parameters<Adapter['findMany']>[0]['where']>[number]
type Query = { model: string; where?: Where[] | undefined }
type Row = Record<string, unknown>

const prefix = 'sha256:'

const hashToken = (token: string): string => prefix + hash('sha256', token, 'hex')

const hashValue = (value: Where['value']): Where['value'] => {
  if (typeof value === 'string') return hashToken(value)
  return Array.isArray(value) ? value.map((one) => (typeof one === 'string' ? hashToken(one) : one)).map(String) : value
}

const isTokens = ({ field, value }: Where) => field === 'token' && value !== null

const toStored = <Q extends Query>(query: Q): Q =>
  query.model === 'session' && query.where?.some(isTokens)
    ? { ...query, where: query.where.map((one) => (isTokens(one) ? { ...one, value: hashValue(one.value) } : one)) }
    : query

/**
 * A session as Better Auth sees it: with the token that it was looked up by, and otherwise with its id in place of the unknown
 * token.
 */
const toSeen = <Result>(query: Query, found: Result): Result => {
  if (query.model !== 'session' || !isObject(found)) return found
  const asked = query.where?.find((one) => isTokens(one) && typeof one.value === 'string')?.value
  return { ...found, token: asked ?? found.id }
}

const isSessionRow = (query: { model: string; data: Row }): boolean =>
  query.model === 'session' && typeof query.data.token === 'string'

/** Better Auth's adapter, with tokens of sessions hashed on their way to the rows. */
export const hashingSessions = (adapter: Adapter): Adapter => ({
  ...adapter,
  create: async <T extends Row, R = T>(query: Parameters<typeof adapter.create<T, R>>[0]): Promise<R> => {
    if (!isSessionRow(query)) return adapter.create<T, R>(query)
    const { token } = query.data as Row
    const created = await adapter.create<T, R>({ ...query, data: { ...query.data, token: hashToken(String(token)) } })
    return { ...created, token }
  },
  findOne: async (query) => toSeen(query, await adapter.findOne(toStored(query))),
  findMany: async <T>(query: Parameters<typeof adapter.findMany<T>>[0]) =>
    (await adapter.findMany<T>(toStored(query))).map((row) => toSeen(query, row)),
  count: (query) => adapter.count(toStored(query)),
  update: async (query) => toSeen(query, await adapter.update(toStored(query))),
  updateMany: (query) => adapter.updateMany(toStored(query)),
  delete: (query) => adapter.delete(toStored(query)),
  deleteMany: (query) => adapter.deleteMany(toStored(query)),
  consumeOne: async (query) => toSeen(query, await adapter.consumeOne(toStored(query))),
})
