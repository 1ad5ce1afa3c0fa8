import pg from 'pg'
import { type DatabaseAddress, listClientConfigs } from './database-address.ts'
import { createPrimary, NoPrimary, type Primary } from './primary.ts'

/** How connections to a database are made. */
export type Connecting = {
  config: pg.ClientConfig
  Client: typeof pg.Client
  /** Which host takes writes, where there are several. */
  primary: Primary | undefined
}

/** What PostgreSQL tells of a connection that takes no writes, without being asked. */
const tellsReadOnly = ({ parameterName, parameterValue }: { parameterName: string; parameterValue: string }): boolean =>
  ['in_hot_standby', 'default_transaction_read_only'].includes(parameterName) && parameterValue === 'on'

const definePrimaryClient = (primary: Primary): typeof pg.Client => {
  const connect = async (client: pg.Client, begin: () => Promise<unknown>): Promise<void> => {
    const { host, port } = await primary.find()
    client.host = host
    client.port = port
    let isReadOnly = false
    client.connection.on('parameterStatus', (told) => {
      if (!tellsReadOnly(told)) return
      isReadOnly = true
      primary.suspect()
    })
    client.on('error', primary.suspect)
    try {
      // Whoever wanted the connection stopped waiting for it.
      if (client.connection.stream.destroyed) throw new Error('Connection terminated')
      await begin()
    } catch (error) {
      primary.suspect()
      throw error
    }
    // One that was being made when another host took the writes over is in no list of those to be ended then.
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

/** How an address is connected to: on one host, or on whichever of several takes writes. */
export const toConnecting = (address: DatabaseAddress): Connecting => {
  const configs = listClientConfigs(address)
  const [config = {}] = configs
  if (configs.length < 2) return { config, Client: pg.Client, primary: undefined }
  const primary = createPrimary(configs)
  return { config, primary, Client: definePrimaryClient(primary) }
}
