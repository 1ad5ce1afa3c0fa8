import type { BetterAuthOptions } from 'better-auth'
import { getAdapter } from 'better-auth/db/adapter'
import type { Queryable, Tx } from '../../../storage/database.ts'
import { storingApps } from './app-storage.ts'
import { findAuthTransaction, inAuthTransaction, isAuthTransaction, rememberFailure } from './auth-work.ts'
import { hashingSessions } from './session-tokens.ts'
import type { AuthDeps } from './types.ts'

export type Adapter = Awaited<ReturnType<typeof getAdapter>>

/**
 * Better Auth's own storage adapter on this service's connections: it uses the open transaction of the current call, and our
 * statements join the transactions that it opens.
 */
export const openAuthDatabase = async (deps: AuthDeps, options: BetterAuthOptions): Promise<Adapter> => {
  const { db } = deps
  const adapterOn = async (queryable: Queryable) =>
    hashingSessions(await getAdapter({ ...options, database: { db: queryable, type: 'postgres' } }))
  const outside = await adapterOn(db)
  const inside = new WeakMap<Tx, Promise<Adapter>>()
  const findAdapter = async (): Promise<Adapter> => {
    const tx = await findAuthTransaction()
    if (tx === undefined) return outside
    const found = inside.get(tx) ?? adapterOn(tx)
    inside.set(tx, found)
    return found
  }
  const adapter: Adapter = {
    ...outside,
    ...storingApps(deps, followingWork(findAdapter)),
    transaction: (part) => {
      if (isAuthTransaction()) return part(adapter)
      return rememberFailure(() => db.transaction().execute((tx) => inAuthTransaction(tx, () => part(adapter))))
    },
  }
  return adapter
}

/** Each statement finds its connection when it runs, and remembers its failure. */
const followingWork = (find: () => Promise<Adapter>): Omit<Adapter, 'transaction' | 'id' | 'options'> => ({
  create: (query) => rememberFailure(async () => (await find()).create(query)),
  findOne: (query) => rememberFailure(async () => (await find()).findOne(query)),
  findMany: (query) => rememberFailure(async () => (await find()).findMany(query)),
  count: (query) => rememberFailure(async () => (await find()).count(query)),
  update: (query) => rememberFailure(async () => (await find()).update(query)),
  updateMany: (query) => rememberFailure(async () => (await find()).updateMany(query)),
  delete: (query) => rememberFailure(async () => (await find()).delete(query)),
  deleteMany: (query) => rememberFailure(async () => (await find()).deleteMany(query)),
  consumeOne: (query) => rememberFailure(async () => (await find()).consumeOne(query)),
  incrementOne: (query) => rememberFailure(async () => (await find()).incrementOne(query)),
})
