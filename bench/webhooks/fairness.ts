import type { Noema } from '../parts/noema.ts'
import type { ScratchDatabase } from '../parts/scratch-postgres.ts'
import {
  addCorrectable,
  addOrganizationWebhook,
  addTenant,
  addWatchedBrain,
  atRate,
  describe,
  type Receiver,
  say,
  startHangingServer,
  type Tenant,
  times,
} from './parts.ts'

// What a tenant's deliveries wait while another tenant's receivers hang.

const webhooksOfBrain = 25
const measuredEvents = 200
const perSecond = 10

const measureVictim = async (what: string, receiver: Receiver, cause: () => Promise<unknown>): Promise<void> => {
  await receiver.reset()
  await atRate(measuredEvents, perSecond, cause)
  say(`${what}: another tenant's delivery ${describe(await receiver.arrived(measuredEvents))}`)
}

const watch = async (tenant: Tenant, receiver: Receiver): Promise<() => Promise<unknown>> => {
  const path = await addWatchedBrain(tenant, 'victim', 1, receiver)
  let n = 0
  return () => tenant.call('POST', `${path}/records`, { kind: 'k', fields: { n: n++ } })
}

const measureBrainWebhooks = async (noema: Noema, database: ScratchDatabase, receiver: Receiver, hanging: number) => {
  const far = await startHangingServer()
  const [hog, victim] = [
    await addTenant(noema, database, `hog-${hanging}`),
    await addTenant(noema, database, `victim-${hanging}`),
  ]
  const write = await watch(victim, receiver)
  const brains = hanging / webhooksOfBrain
  await times(brains, 8, (n) => addWatchedBrain(hog, `hog-${n}`, webhooksOfBrain, far))
  await times(brains, 8, (n) => hog.call('POST', `/v1/brains/hog-${n}/records`, { kind: 'k' }))
  await measureVictim(`${hanging} hanging webhooks of Brains`, receiver, write)
  await far.stop()
}

const measureOrganizationWebhooks = async (noema: Noema, database: ScratchDatabase, receiver: Receiver) => {
  const far = await startHangingServer()
  const [hog, victim] = [
    await addTenant(noema, database, 'hog-organization'),
    await addTenant(noema, database, 'victim-organization'),
  ]
  await addOrganizationWebhook(victim, receiver)
  const { correct } = await addCorrectable(victim, 'victim', measuredEvents)
  for (let n = 0; n < webhooksOfBrain; n++) await addOrganizationWebhook(hog, far)
  const hogging = await addCorrectable(hog, 'hog', 16)
  await times(16, 8, hogging.correct)
  await measureVictim(`${16 * webhooksOfBrain} hanging deliveries of an organization`, receiver, correct)
  await far.stop()
}

export const measureFairness = async (noema: Noema, database: ScratchDatabase, receiver: Receiver): Promise<void> => {
  await measureOrganizationWebhooks(noema, database, receiver)
  await measureBrainWebhooks(noema, database, receiver, 400)
  await measureBrainWebhooks(noema, database, receiver, 2_000)
}
