import type { Noema } from '../parts/noema.ts'
import type { ScratchDatabase } from '../parts/scratch-postgres.ts'
import {
  addCorrectable,
  addOrganizationWebhook,
  addTenant,
  atRate,
  describe,
  type Receiver,
  say,
  type Tenant,
  times,
} from './parts.ts'

// Webhooks of organizations: the time from a correction to its receiver, and deliveries a second.

const measureLatency = async (tenant: Tenant, receiver: Receiver): Promise<void> => {
  await addOrganizationWebhook(tenant, receiver)
  const { correct } = await addCorrectable(tenant, 'live', 400)
  // The first ones wait for what is loaded once.
  await atRate(40, 20, correct)
  await receiver.arrived(40)
  await receiver.reset()
  await atRate(200, 20, correct)
  const received = await receiver.arrived(200)
  say(`organization, one webhook at 20 corrections/s: correction to receiver ${describe(received)}`)
}

/** Corrections as fast as they are taken: from the first one to the last delivery. */
const measureRate = async (
  noema: Noema,
  tenant: Tenant,
  receiver: Receiver,
  { webhooks, corrections }: { webhooks: number; corrections: number },
): Promise<void> => {
  for (let n = 0; n < webhooks; n++) await addOrganizationWebhook(tenant, receiver)
  const { correct } = await addCorrectable(tenant, 'rate', corrections)
  await receiver.reset()
  const cpuBefore = noema.cpuMilliseconds() ?? Number.NaN
  const began = performance.now()
  await times(corrections, 16, correct)
  const written = (performance.now() - began) / 1000
  const { count } = await receiver.arrived(webhooks * corrections)
  const seconds = (performance.now() - began) / 1000
  const cpu = ((noema.cpuMilliseconds() ?? Number.NaN) - cpuBefore) / count
  say(
    `organization, ${webhooks} webhooks: ${count} deliveries of ${corrections} corrections, ${Math.round(count / seconds)} deliveries/s (written in ${written.toFixed(1)} s, delivered after ${seconds.toFixed(1)} s; ${cpu.toFixed(2)} ms of CPU each)`,
  )
}

export const measureOrganizationWebhooks = async (
  noema: Noema,
  database: ScratchDatabase,
  receiver: Receiver,
  { corrections }: { corrections: number },
): Promise<void> => {
  await measureLatency(await addTenant(noema, database, 'latency'), receiver)
  await measureRate(noema, await addTenant(noema, database, 'many'), receiver, { webhooks: 50, corrections })
  await measureRate(noema, await addTenant(noema, database, 'one'), receiver, {
    webhooks: 1,
    corrections: 4 * corrections,
  })
}
