import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { serveBare } from '../floors/bare-server.ts'

// An event store that a user would otherwise put behind node:http: Emmett over the same PostgreSQL. Each append is a
// transaction of its own. Appends to one stream fail each other when they meet, so each connection has its own stream,
// which is the peer's best case. Called with the database's URL and the folder in which the packages are installed.

const [url = '', folder = ''] = process.argv.slice(2)
const packagePath = createRequire(join(folder, 'package.json')).resolve('@event-driven-io/emmett-postgresql')

type Append = (
  stream: string,
  events: { type: string; data: object }[],
) => Promise<{ nextExpectedStreamVersion: bigint }>
type Package = { getPostgreSQLEventStore(url: string): { appendToStream: Append } }

const { getPostgreSQLEventStore } = (await import(pathToFileURL(packagePath).href)) as Package
const store = getPostgreSQLEventStore(url)

serveBare(async (request, bytes) => {
  const body = JSON.parse(bytes.toString('utf8'))
  const result = await store.appendToStream(`records-${request.socket.remotePort}`, [
    { type: 'record.accepted', data: body },
  ])
  const answer = { data: { outcome: 'landed', stateVersion: Number(result.nextExpectedStreamVersion), record: body } }
  return { status: 201, text: JSON.stringify(answer) }
})
