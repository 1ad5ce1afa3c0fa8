import type { BetterAuthOptions } from 'better-auth'
import { getAdapter } from 'better-auth/db/adapter'
import type { Db, Queryable } from '../../../storage/database.ts'
import { inAuthTransaction, rememberFailure } from './auth-work.ts'

type Adapter = Awaited<ReturnType<typeof getAdapter>>

/** Better Auth's own storage adapter, over this service's connections and with its transactions known to our work. */
export const openAuthDatabase = async (db: Db, options: BetterAuthOptions): Promise<Adapter> => {
  const adapterOn = async (queryable: Queryable) =>
    remembering(await getAdapter({ ...options, database: { db: queryable, type: 'postgres' } }))
  return {
    ...(await adapterOn(db)),
    transaction: (part) =>
      rememberFailure(() =>
        db.transaction().execute(async (tx) => {
          const inside = await adapterOn(tx)
          return inAuthTransaction(tx, () => part(inside))
        }),
      ),
  }
}

const remembering = (adapter: Adapter): Adapter => ({
  ...adapter,
  create: (query) => rememberFailure(() => adapter.create(query)),
  findOne: (query) => rememberFailure(() => adapter.findOne(query)),
  findMany: (query) => rememberFailure(() => adapter.findMany(query)),
  count: (query) => rememberFailure(() => adapter.count(query)),
  update: (query) => rememberFailure(() => adapter.update(query)),
  updateMany: (query) => rememberFailure(() => adapter.updateMany(query)),
  delete: (query) => rememberFailure(() => adapter.delete(query)),
  deleteMany: (query) => rememberFailure(() => adapter.deleteMany(query)),
  consumeOne: (query) => rememberFailure(() => adapter.consumeOne(query)),
  incrementOne: (query) => rememberFailure(() => adapter.incrementOne(query)),
})
