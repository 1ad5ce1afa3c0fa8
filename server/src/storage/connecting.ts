import pg from 'pg'
import { type DatabaseAddress, listClientConfigs } from './database-address.ts'
import { createPrimary, NoPrimary, type Primary } from './primary.ts'

/** The way to connect to a database. */
export type Connecting = {
  config: pg.ClientConfig
  Client: typeof pg.Client
  /** Finds the host that accepts writes, if there are several. */
  primary: Primary | undefined
}

/** PostgreSQL reports by itself that a connection accepts no writes. */
const reportsReadOnly = ({
  parameterName,
  parameterValue,
}: {
  parameterName: string
  parameterValue: string
}): boolean => ['in_hot_standby', 'default_transaction_read_only'].includes(parameterName) && parameterValue === 'on'

const definePrimaryClient = (primary: Primary): typeof pg.Client => {
  const connect = async (client: pg.Client, begin: () => Promise<unknown>): Promise<void> => {
    const { host, port } = await primary.find()
    client.host = host
    client.port = port
    let isReadOnly = false
    client.connection.on('parameterStatus', (reported) => {
      if (!reportsReadOnly(reported)) return
      isReadOnly = true
      primary.suspect()
    })
    client.on('error', primary.suspect)
    try {
      // The caller that requested the connection stopped waiting.
      if (client.connection.stream.destroyed) throw new Error('Connection terminated')
      await begin()
    } catch (error) {
      primary.suspect()
      throw error
    }
    // A connection that was being opened while the primary changed is in no list of connections to close.
    const found = await primary.find().catch(() => undefined)
    if (!isReadOnly && found?.host === host && found.port === port) return
    await client.end()
    throw new NoPrimary()
  }
  return class extends pg.Client {
    override connect(): Promise<pg.Client>
    override connect(callback: (error: Error | null, client?: pg.Client) => void): void
    override connect(callback?: (error: Error | null, client?: pg.Client) => void): Promise<pg.Client> | undefined {
      const connected = connect(this, () => super.connect()).then(() => this)
      if (!callback) return connected
      connected.then((client) => callback(null, client), callback)
      return undefined
    }
  }
}

/** Returns the way to connect to an address: to its one host, or to the one of several that accepts writes. */
export const toConnecting = (address: DatabaseAddress): Connecting => {
  const configs = listClientConfigs(address)
  const [config = {}] = configs
  if (configs.length < 2) return { config, Client: pg.Client, primary: undefined }
  const primary = createPrimary(configs)
  return { config, primary, Client: definePrimaryClient(primary) }
}
