import { parseArgs } from 'node:util'
import { startNoema } from './parts/noema.ts'
import { startScratchPostgres } from './parts/scratch-postgres.ts'
import { measureBrainWebhooks, measureIdleWebhooks } from './webhooks/brain-webhooks.ts'
import { measureFairness } from './webhooks/fairness.ts'
import { measureOrganizationWebhooks } from './webhooks/organization-webhooks.ts'
import { startReceiverServer, trustedOrigin } from './webhooks/parts.ts'

// How fast events reach webhooks of both sorts, and what one tenant's hanging receivers cost another. See README.md.
// Run: node bench/webhooks.ts [brain | idle | organization | fairness …] [--profile folder] [--corrections n]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { profile: { type: 'string' }, corrections: { type: 'string', default: '200' } },
})
const isWanted = (part: string) => positionals.length === 0 || positionals.includes(part)

const postgres = await startScratchPostgres()
const database = await postgres.createDatabase('webhooks')
const noema = await startNoema(database, values.profile, {
  NOEMA_WEBHOOK_ALLOW: '127.0.0.1',
  NOEMA_EMBEDDINGS: 'off',
  NOEMA_TRUSTED_ORIGINS: trustedOrigin,
})
const receiver = await startReceiverServer()
try {
  if (isWanted('brain')) await measureBrainWebhooks(noema, receiver)
  if (isWanted('idle')) await measureIdleWebhooks(noema, database)
  if (isWanted('organization'))
    await measureOrganizationWebhooks(noema, database, receiver, { corrections: Number(values.corrections) })
  if (isWanted('fairness')) await measureFairness(noema, database, receiver)
} finally {
  await receiver.stop()
  await noema.stop()
  await postgres.stop()
}
