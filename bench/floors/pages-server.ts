import { createLog } from '../../server/src/shared/log.ts'
import { openDatabase } from '../../server/src/storage/database.ts'
import { serveBare } from './bare-server.ts'

// The floor of pages: the same rows of the same range, as JSON text from the database to the socket. It checks no key,
// opens no cursor (the path names a position) and does not check that the Brain still exists. Arguments: the database's
// URL, the Brain's number, and the place where the events are joined: `node` or `postgres`.

const [url = '', brainId = '', joinedIn = 'node'] = process.argv.slice(2)
const { pool } = openDatabase(url, createLog('error'), 16)
const size = 500

const range = 'from events where brain_id = $1 and position > $2 and position <= $3'
const rowByRow = { name: 'rows', text: `select event::text as event ${range} order by position` }
const joined = { name: 'text', text: `select string_agg(event::text, ',' order by position) as event ${range}` }
const statement = joinedIn === 'postgres' ? joined : rowByRow

serveBare(async (request) => {
  const after = Number(new URL(request.url ?? '/', 'http://floor').searchParams.get('after'))
  const { rows } = await pool.query<{ event: string }>({ ...statement, values: [brainId, after, after + size] })
  const events = rows.map(({ event }) => event).join(',')
  return { status: 200, text: `{"data":{"events":[${events}],"cursor":"${'A'.repeat(48)}","hasMore":true}}` }
})
