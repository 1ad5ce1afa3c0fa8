import { createHash } from 'node:crypto'
import pg from 'pg'
import { serveBare } from './bare-server.ts'

// The floor of single reads: node:http and pg with two prepared statements, which look the key up and read the rows, as JSON
// text from the database to the socket. It answers as many bytes as Noema, but has no limits, cursors or access rules.
// Called with the database's URL and the Brain's number. The path names the read, its query says where it begins.

const [url = '', brainId = ''] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString: url, max: 16 })

const live = 'from record_versions where brain_id = $1 and to_state is null'
const reads: Record<string, string> = {
  '/record': `select record::text as json ${live} and slug = $2`,
  '/list': `select record::text as json ${live} and id > $2 order by id limit 50`,
  '/page': `select event::text as json from events where brain_id = $1 and position > $2::bigint
    and position <= $2::bigint + 500 order by position`,
}
const findKey = {
  name: 'key',
  text: `select key.id, key.organization_id as "organizationId", organization.name
    from management_keys as key join organization on organization.id = key.organization_id
    where key.hash = $1 and key.revoked_at is null`,
}

type Key = { id: string; organizationId: string; name: string }

const cursor = 'A'.repeat(48)

const toText = (path: string, key: Key, rows: readonly string[]): string => {
  const all = rows.join(',')
  if (path === '/record') return `{"data":{"record":${all}}}`
  if (path === '/list') return `{"data":{"records":[${all}],"nextCursor":"${cursor}"}}`
  if (path === '/page') return `{"data":{"events":[${all}],"cursor":"${cursor}","hasMore":true}}`
  return JSON.stringify({ data: { principal: 'key', ...key } })
}

serveBare(async ({ url: path = '/', headers }) => {
  const hash = createHash('sha256')
    .update(headers.authorization?.slice('Bearer '.length) ?? '')
    .digest()
  const [key] = (await pool.query<Key>({ ...findKey, values: [hash] })).rows
  if (!key) return { status: 401, text: '{"error":"no such key"}' }
  const { pathname, searchParams } = new URL(path, 'http://floor')
  const text = reads[pathname]
  const values = [brainId, searchParams.get('at')]
  const { rows } = text ? await pool.query<{ json: string }>({ name: pathname, text, values }) : { rows: [] }
  return {
    status: 200,
    text: toText(
      pathname,
      key,
      rows.map(({ json }) => json),
    ),
  }
})
