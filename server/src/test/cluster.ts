import pg from 'pg'

// The servers that the databases of tests are on: one, or those of a Citus cluster if NOEMA_TEST_CITUS is set.

export const isCluster = process.env.NOEMA_TEST_CITUS === 'on'

const toDatabase = (url: string, name: string): string => url.replace('/?', `/${name}?`)

/** Runs statements in a database of one server. */
const runAt = async (url: string, statements: readonly string[]): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

type Server = { host: string; port: number }

const listServers = async (url: string): Promise<Server[]> => {
  const client = new pg.Client({ connectionString: toDatabase(url, 'noema') })
  await client.connect()
  const { rows } = await client.query<Server>(
    'select nodename as host, nodeport as port from pg_dist_node order by groupid',
  )
  await client.end()
  return rows
}

const toServerUrl = (url: string, { host, port }: Server): string => {
  const changed = new URL(url)
  changed.hostname = host
  changed.port = String(port)
  return changed.href
}

let servers: Promise<string[]> | undefined

/** The URLs of all servers, the coordinator first, without a database. */
const listServerUrls = (url: string): Promise<string[]> => {
  servers ??= isCluster
    ? listServers(url).then((all) => all.map((server) => toServerUrl(url, server)))
    : Promise.resolve([url])
  return servers
}

/** Runs statements on every server, in the database that is there from the beginning. */
export const runEverywhere = async (url: string, statements: readonly string[]): Promise<void> => {
  for (const server of await listServerUrls(url)) await runAt(toDatabase(server, 'postgres'), statements)
}

/** Makes a new database a part of the cluster. */
export const addToCluster = async (url: string, name: string): Promise<void> => {
  if (!isCluster) return
  const urls = await listServerUrls(url)
  for (const server of urls) await runAt(toDatabase(server, name), ['create extension citus'])
  const [coordinator, ...workers] = urls.map((server) => new URL(server))
  await runAt(toDatabase(url, name), [
    `select citus_set_coordinator_host('${coordinator?.hostname}', ${coordinator?.port})`,
    ...workers.map(({ hostname, port }) => `select citus_add_node('${hostname}', ${port})`),
  ])
}

/** Ends the connections of a template and refuses others, so that it can be cloned. */
export const closeTemplate = async (url: string, name: string): Promise<void> => {
  if (!isCluster) return
  await runEverywhere(url, [
    `alter database ${name} allow_connections false`,
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
  ])
}
