import type pg from 'pg'
import { refuseWorker } from '../citus-queries.ts'
import { toConnecting } from '../connecting.ts'
import type { DatabaseAddress } from '../database-address.ts'

/** Opens one connection without the limits of requests, for work that takes as long as it takes. Refuses a worker of a cluster. */
export const openClient = async (address: DatabaseAddress, name = 'noema backup'): Promise<pg.Client> => {
  const { config, Client } = toConnecting(address)
  const client = new Client({ ...config, application_name: name, connectionTimeoutMillis: 10_000 })
  // One that breaks fails the statement that runs, which is how the caller learns of it.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(
      `set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set timezone = 'UTC'; set datestyle = 'ISO'`,
    )
    await refuseWorker(client)
    return client
  } catch (error) {
    await client.end()
    throw error
  }
}
