import { createApp } from '../../app.ts'
import { readConfig } from '../../config/config.ts'
import { createLog } from '../../shared/log.ts'
import { createTestClock } from '../clock.ts'

// A node that delivers webhooks, in a separate process, for a test that kills it. Messages of seconds move its clock; after
// each it polls, as a node does once a second.

const [databaseUrl = '', secret = '', ...names] = process.argv.slice(2)
const clock = createTestClock()
const config = readConfig({ NOEMA_PORT: '0', NOEMA_DATABASE_POOL: '4', NOEMA_WEBHOOK_ALLOW: '127.0.0.1:*' }, '/')
const app = await createApp({ config, address: databaseUrl, secret, clock, log: createLog('silent') })
const workers = app.workers.filter(({ name }) => names.includes(name))

process.on('message', (seconds: number) => {
  clock.advance({ seconds })
  for (const worker of workers) void worker.run()
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
