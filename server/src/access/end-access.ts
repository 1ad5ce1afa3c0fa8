import type { EndAccess } from '../features/accounts/auth/ended-access.ts'
import { revokeKeysOfPerson } from '../features/accounts/keys/revoking.ts'
import { selectBrainKeysOfMakers } from '../features/accounts/keys/revoking-queries.ts'
import { markUnproven, selectAgentsOfMakers } from '../features/agents/agents/maker-queries.ts'
import { removeConnectorsOfMakers, selectConnectorsOfMakers } from '../features/agents/connectors/connector-queries.ts'
import { removeProvidersOfMakers, selectProvidersOfMakers } from '../features/agents/providers/provider-queries.ts'
import { removeSchedulesOfMakers, selectSchedulesOfMakers } from '../features/agents/schedules/schedule-queries.ts'
import { removeTriggersOfMakers, selectTriggersOfMakers } from '../features/agents/triggers/trigger-queries.ts'
import * as brainWebhooks from '../features/delivery/brain-webhooks/webhook-queries.ts'
import * as organizationWebhooks from '../features/delivery/organization-webhooks/webhook-queries.ts'
import { removeFromBrains } from '../features/kernel/brain-members/member-queries.ts'
import type { Queryable } from '../storage/database.ts'
import type { Made } from '../storage/makers.ts'
import { pauseStrangers } from './pause-strangers.ts'

/** Takes a person out of the restricted Brains of the organizations that they leave. */
const leaveBrains = async (db: Queryable, access: Parameters<EndAccess>[1]): Promise<void> => {
  for (const brain of await removeFromBrains(db, access)) await pauseStrangers(db, brain)
}

const withoutBrain = (webhook: { id: string; url: string }) => ({ ...webhook, brain: null })

/**
 * Revokes the access that a person created: management keys, on request the Brain keys that the person or those keys
 * minted, and the webhooks that any of them created. Webhooks of others are paused if the person was the last to set the address
 * or to see the secret. Providers, connectors, triggers, schedules and agents belong to the organization and continue. An account
 * that was never proven loses all of them except its agents.
 */
export const endAccess: EndAccess = async (db, access, now) => {
  const { makers, ...keys } = await revokeKeysOfPerson(db, access, now)
  const made = { makers, organizationIds: access.organizationIds }
  const ofBrains = await brainWebhooks.removeWebhooksOfMakers(db, made)
  const ofOrganizations = await organizationWebhooks.removeWebhooksOfMakers(db, made)
  const pausedOfBrains = await brainWebhooks.pauseWebhooksOfMakers(db, made)
  const pausedOfOrganizations = await organizationWebhooks.pauseWebhooksOfMakers(db, made)
  const isWhole = access.brainKeys === 'lines'
  // An account that was taken over keeps the roles that others gave it.
  if (!isWhole) await leaveBrains(db, access)
  return {
    ...keys,
    webhooks: [...ofBrains, ...ofOrganizations.map(withoutBrain)],
    pausedWebhooks: [...pausedOfBrains, ...pausedOfOrganizations.map(withoutBrain)],
    remainingAgents: isWhole ? await markUnproven(db, made, now) : await selectAgentsOfMakers(db, made),
    providers: isWhole ? await removeProvidersOfMakers(db, made) : [],
    connectors: isWhole ? await removeConnectorsOfMakers(db, made) : [],
    remainingProviders: isWhole ? [] : await selectProvidersOfMakers(db, made),
    triggers: isWhole ? await removeTriggersOfMakers(db, made) : [],
    schedules: isWhole ? await removeSchedulesOfMakers(db, made) : [],
    remainingConnectors: isWhole ? [] : await selectConnectorsOfMakers(db, made),
    remainingTriggers: isWhole ? [] : await selectTriggersOfMakers(db, made),
    remainingSchedules: isWhole ? [] : await selectSchedulesOfMakers(db, made),
  }
}

/** Pauses the webhooks whose address or secret a key of a Brain was the last to set or see. It cannot reach the organization's. */
export const pauseWebhooksOfKeys = (db: Queryable, made: Made, brainId: number) =>
  brainWebhooks.pauseWebhooksOfMakers(db, made, brainId)

/** Lists the access that a key created and that continues without the key. */
export const findMadeByKey = async (db: Queryable, organizationId: string, keyId: string, now: Date) => {
  const made = { makers: [keyId], organizationIds: [organizationId] }
  const brainKeys = await selectBrainKeysOfMakers(db, made, now)
  const ofBrains = await brainWebhooks.selectWebhooksOfMakers(db, made)
  const ofOrganization = await organizationWebhooks.selectWebhooksOfMakers(db, made)
  return {
    brainKeys: brainKeys.map(({ id, name, brain }) => ({ id, name, brain })),
    webhooks: [...ofBrains, ...ofOrganization.map(withoutBrain)],
    providers: await selectProvidersOfMakers(db, made),
    connectors: await selectConnectorsOfMakers(db, made),
    triggers: await selectTriggersOfMakers(db, made),
    schedules: await selectSchedulesOfMakers(db, made),
  }
}
