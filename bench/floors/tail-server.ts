import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLog } from '../../server/src/shared/log.ts'
import { openDatabase } from '../../server/src/storage/database.ts'
import { insertBareBrain } from './brain.ts'
import { insertRows } from './insert-rows.ts'
import { nextChangeId, toAnswer, toRows } from './rows.ts'

// The floor of live tails: one process that writes a record's rows with one statement and passes their event to its own
// tails after the commit. With `notify` it is the usual design for several processes: the transaction notifies, and a
// listening connection reads the event by its position and passes it on. Arguments: the database's URL, the name of its
// Brain, and `memory` or `notify`.

const [url = '', name = 'tail', way = 'memory'] = process.argv.slice(2)
const { pool } = openDatabase(url, createLog('error'), 4)
const brainId = await insertBareBrain(pool, name)
const tails = new Set<ServerResponse>()
let written = 0

const notify = (position: number, event: string): void => {
  for (const tail of tails) tail.write(`id: ${position}\nevent: record.accepted\ndata: ${event}\n\n`)
}

if (way === 'notify') {
  const client = await pool.connect()
  client.on('notification', ({ payload }) => {
    const values = [brainId, payload]
    const text = 'select event::text as event from events where brain_id = $1 and position = $2'
    void pool.query({ name: 'read', text, values }).then(({ rows }) => notify(Number(payload), rows[0].event))
  })
  await client.query(`listen bench_${name}`)
}

const write = async (body: string): Promise<string> => {
  const position = ++written
  const at = new Date().toISOString()
  const row = toRows(JSON.parse(body), { change: nextChangeId(), stateVersion: position, position, at })
  const statement = insertRows({ brainId, at, rows: [row], writesToday: position })
  if (way === 'notify') {
    const client = await pool.connect()
    await client.query('begin')
    await client.query(statement)
    await client.query('select pg_notify($1, $2)', [`bench_${name}`, position])
    await client.query('commit')
    client.release()
  } else {
    await pool.query(statement)
    notify(position, row.event)
  }
  return toAnswer(row)
}

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': connected\n\n')
    tails.add(response)
    return response.once('close', () => tails.delete(response))
  }
  let body = ''
  request.setEncoding('utf8').on('data', (chunk) => {
    body += chunk
  })
  return request.once('end', () => {
    void write(body).then((text) => {
      const length = Buffer.byteLength(text)
      response.writeHead(201, { 'content-type': 'application/json', 'content-length': length }).end(text)
    })
  })
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ msg: 'ready', url: `http://127.0.0.1:${port}/` })}\n`)
})
process.once('SIGTERM', () => process.exit())
