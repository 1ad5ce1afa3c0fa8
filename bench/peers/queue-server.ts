import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Pool } from 'undici'
import { createSigner, newSigningSecret } from '../../server/src/shared/outbound/signing.ts'
import { serveBare } from '../floors/bare-server.ts'

// Deliveries as a user would otherwise make them: a job for each in pg-boss, a queue in the same PostgreSQL, and workers that
// fetch jobs, sign and send them, and tell the queue. In no order, and an event is a job for each receiver.
// Called with the database's URL, the receiver's URL and the folder in which the packages are installed. POST /{count} answers
// when as many were delivered.

const [url = '', hook = '', folder = ''] = process.argv.slice(2)
const packagePath = createRequire(join(folder, 'package.json')).resolve('pg-boss')

type Job = { id: string; data: { body: string } }
type Queue = {
  start(): Promise<unknown>
  createQueue(name: string): Promise<void>
  insert(name: string, jobs: { data: Job['data'] }[]): Promise<unknown>
  fetch(name: string, options: { batchSize: number }): Promise<Job[]>
  complete(name: string, ids: string[]): Promise<unknown>
}

const { PgBoss } = (await import(pathToFileURL(packagePath).href)) as { PgBoss: new (url: string) => Queue }
const boss = new PgBoss(url)
await boss.start()
const queue = 'deliveries'
await boss.createQueue(queue)

const jobsAtOnce = 25
const workers = 4
const pool = new Pool(new URL(hook).origin, { allowH2: false })
const sign = createSigner({ current: newSigningSecret(), next: null })

const deliver = async ({ id, data: { body } }: Job): Promise<void> => {
  const headers = sign({ id, at: new Date(), body })
  const answer = await pool.request({ path: new URL(hook).pathname, method: 'POST', headers, body })
  await answer.body.dump()
}

const work = async (): Promise<void> => {
  for (;;) {
    const jobs = await boss.fetch(queue, { batchSize: jobsAtOnce })
    if (jobs.length === 0) return
    await Promise.all(jobs.map(deliver))
    const ids = jobs.map(({ id }) => id)
    await boss.complete(queue, ids)
  }
}

serveBare(async (request, bytes) => {
  const count = Number(request.url?.slice(1))
  const body = bytes.toString('utf8')
  await boss.insert(
    queue,
    Array.from({ length: count }, () => ({ data: { body } })),
  )
  await Promise.all(Array.from({ length: workers }, work))
  return { status: 200, text: '{}' }
})
