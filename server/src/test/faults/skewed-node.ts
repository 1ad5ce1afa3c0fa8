import { createApp } from '../../app.ts'
import { readConfig } from '../../config/config.ts'
import { createLog } from '../../shared/log.ts'

// A node in a separate process whose machine's clock is wrong by this many seconds. Messages of seconds set it again.

const [databaseUrl = '', secret = '', seconds = '0'] = process.argv.slice(2)
const RightDate = Date
let ahead = Number(seconds) * 1000

globalThis.Date = class extends RightDate {
  constructor(...given: [] | [number]) {
    if (given.length > 0) super(...(given as [number]))
    else super(RightDate.now() + ahead)
  }
  static override now() {
    return RightDate.now() + ahead
  }
} as DateConstructor

const config = readConfig({ NOEMA_PORT: '0', NOEMA_EMBEDDINGS: 'off', NOEMA_WEBHOOK_ALLOW: '127.0.0.1:*' }, '/')
const app = await createApp({ config, address: databaseUrl, secret, log: createLog('silent') })
await app.listen()

process.on('message', (next: number) => {
  ahead = next * 1000
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
