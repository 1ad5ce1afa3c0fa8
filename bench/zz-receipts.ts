import { startLoadClient } from './parts/load.ts'
import { startNoema } from './parts/noema.ts'
import { startScratchPostgres } from './parts/scratch-postgres.ts'
const postgres = await startScratchPostgres()
const load = startLoadClient()
try {
  const database = await postgres.createDatabase('receipts')
  const noema = await startNoema(database)
  await noema.call('PUT', '/v1/brains/b', {})
  const ops = Array.from({ length: 1000 }, (_, i) => ({ op: 'record.put', id: `r${i}`, kind: 'k', slug: `s${i}`, fields: { a: i, text: 'x'.repeat(200) } }))
  await noema.call('POST', '/v1/brains/b/batch', { operations: ops })
  const headers = { authorization: `Bearer ${noema.key}` }
  const subjects = {
    get: { method: 'GET', paths: ops.map(({ slug }) => `/v1/brains/b/records?kind=k&slug=${slug}&limit=1`), bodies: [] as string[] },
    query1: { method: 'POST', paths: ['/v1/brains/b/query'], bodies: ops.map(({ slug }) => JSON.stringify({ kind: 'k', where: { slug }, limit: 1, consumerId: 'agent' })) },
    get10: { method: 'GET', paths: ['/v1/brains/b/records?kind=k&limit=10'], bodies: [] as string[] },
    query10: { method: 'POST', paths: ['/v1/brains/b/query'], bodies: [JSON.stringify({ kind: 'k', limit: 10, consumerId: 'agent' })] },
  }
  for (let round = 0; round < 3; round++)
    for (const clients of [1, 64])
      for (const [name, subject] of Object.entries(subjects)) {
        const r = await load.run({ port: noema.port, clients, headers, seconds: 2, warmUpSeconds: 0.5, ...subject })
        if (round > 0) console.log(round, clients, name, r.p50.toFixed(2), r.p99.toFixed(2), Math.round(r.perSecond))
      }
  const { rows } = await database.pool.query(`select count(*) as n, pg_total_relation_size('receipts') as a, pg_total_relation_size('receipt_items') as b, (select count(*) from receipt_items) as items from receipts`)
  console.log(rows[0])
  await noema.stop?.()
} finally { load.stop(); await postgres.stop() }
process.exit(0)
