import { DatabaseSync } from 'node:sqlite'
import { serveBare } from '../floors/bare-server.ts'
import { nextChangeId, toAnswer, toRows } from '../floors/rows.ts'

// The store that a user would otherwise write: node:http around SQLite, each request a transaction that is on disk before
// it is answered. It stores the newest records and the events; it checks no key and no content, and has no versions.
// Argument: the file of the database.

const [file = ''] = process.argv.slice(2)
const pageSize = 500
const database = new DatabaseSync(file)
database.exec(`pragma journal_mode = wal; pragma synchronous = full;
  create table records (id text primary key, kind text not null, record text not null) without rowid;
  create table events (position integer primary key, event text not null)`)
const insertRecord = database.prepare('insert into records values (?, ?, ?)')
const insertEvent = database.prepare('insert into events values (?, ?)')
const selectPage = database.prepare('select event from events where position > ? order by position limit ?')

type NewRecord = Parameters<typeof toRows>[0]
let written = 0

const write = (records: readonly NewRecord[]) => {
  const [change, at] = [nextChangeId(), new Date().toISOString()]
  database.exec('begin immediate')
  const rows = records.map((record) => {
    const position = ++written
    const row = toRows(record, { change, stateVersion: position, position, at })
    insertRecord.run(row.id, row.kind, row.record)
    insertEvent.run(position, row.event)
    return row
  })
  database.exec('commit')
  return rows
}

serveBare(async (request, bytes) => {
  if (request.method === 'GET') {
    const after = Number(new URL(request.url ?? '/', 'http://peer').searchParams.get('after'))
    const events = selectPage.all(after, pageSize).map(({ event }) => event)
    return {
      status: 200,
      text: `{"data":{"events":[${events.join(',')}],"cursor":"${'A'.repeat(48)}","hasMore":true}}`,
    }
  }
  const body = JSON.parse(bytes.toString('utf8')) as NewRecord & { operations?: NewRecord[] }
  const rows = write(body.operations ?? [body])
  const [first] = rows
  const records = rows.map(({ record }) => record).join(',')
  const text = body.operations || !first ? `{"data":{"outcome":"landed","results":[${records}]}}` : toAnswer(first)
  return { status: 201, text }
})
