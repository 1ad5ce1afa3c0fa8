import { createLog } from '../../server/src/shared/log.ts'
import { openDatabase } from '../../server/src/storage/database.ts'
import { serveBare } from './bare-server.ts'

// The floor of reads of one Brain: the rows that are asked for by the statement that needs least, as JSON text from the
// database to the socket. No keys, no cursors, no look at the Brain. The path names the statement, its query the place.
// Called with the database's URL and the Brain's number.

const [url = '', brainId = ''] = process.argv.slice(2)
const { pool } = openDatabase(url, createLog('error'), 4, { statementSeconds: 3_600 })

const live = 'from record_versions where brain_id = $1 and to_state is null'
const statements: Record<string, string> = {
  '/page': `select event::text as json from events where brain_id = $1 and position > $2 and position <= $2::bigint + 500
    order by position`,
  '/record': `select record::text as json ${live} and id = $2`,
  '/list': `select record::text as json ${live} and id > $2 order by id limit 100`,
  '/last': `select record::text as json ${live} and id < $2 order by id desc limit 100`,
  '/count': `select count(*)::text as json ${live} and id > $2`,
}

serveBare(async (request) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://floor')
  const statement = { name: pathname, text: statements[pathname] ?? '' }
  const { rows } = await pool.query<{ json: string }>({ ...statement, values: [brainId, searchParams.get('at')] })
  return { status: 200, text: `{"data":[${rows.map(({ json }) => json).join(',')}]}` }
})
