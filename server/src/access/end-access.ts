import type { EndAccess } from '../features/accounts/auth/auth.ts'
import { revokeKeysOfPerson, selectBrainKeysOfMakers } from '../features/accounts/keys/keys.ts'
import { removeConnectorsOfMakers, selectConnectorsOfMakers } from '../features/agents/connectors/connectors.ts'
import { removeProvidersOfMakers, selectProvidersOfMakers } from '../features/agents/providers/providers.ts'
import * as schedules from '../features/agents/schedules/schedules.ts'
import * as triggers from '../features/agents/triggers/triggers.ts'
import * as brainWebhooks from '../features/delivery/brain-webhooks/brain-webhooks.ts'
import * as organizationWebhooks from '../features/delivery/organization-webhooks/organization-webhooks.ts'
import type { Queryable } from '../storage/database.ts'

/**
 * Ends what a person made that lets somebody in or sends something out: management keys, as far as is asked the Brain keys that
 * they or those keys minted, and the webhooks that any of the ended made. Providers of models, connectors, triggers and schedules are
 * the organization's own and go on, with the agents that they are for; but what came from who never proved an account theirs ends whole.
 */
export const endAccess: EndAccess = async (db, access, now) => {
  const { makers, ...keys } = await revokeKeysOfPerson(db, access, now)
  const made = { makers, organizationIds: access.organizationIds }
  const ofBrains = await brainWebhooks.removeWebhooksOfMakers(db, made)
  const ofOrganizations = await organizationWebhooks.removeWebhooksOfMakers(db, made)
  const isWhole = access.brainKeys === 'lines'
  return {
    ...keys,
    webhooks: [...ofBrains, ...ofOrganizations.map((webhook) => ({ ...webhook, brain: null }))],
    providers: isWhole ? await removeProvidersOfMakers(db, made) : [],
    connectors: isWhole ? await removeConnectorsOfMakers(db, made) : [],
    remainingProviders: isWhole ? [] : await selectProvidersOfMakers(db, made),
    triggers: isWhole ? await triggers.removeTriggersOfMakers(db, made) : [],
    schedules: isWhole ? await schedules.removeSchedulesOfMakers(db, made) : [],
    remainingConnectors: isWhole ? [] : await selectConnectorsOfMakers(db, made),
    remainingTriggers: isWhole ? [] : await triggers.selectTriggersOfMakers(db, made),
    remainingSchedules: isWhole ? [] : await schedules.selectSchedulesOfMakers(db, made),
  }
}

/** What a key made that lets somebody in or sends something out, and goes on without it. */
export const findMadeByKey = async (db: Queryable, organizationId: string, keyId: string, now: Date) => {
  const made = { makers: [keyId], organizationIds: [organizationId] }
  const brainKeys = await selectBrainKeysOfMakers(db, made, now)
  const ofBrains = await brainWebhooks.selectWebhooksOfMakers(db, made)
  const ofOrganization = await organizationWebhooks.selectWebhooksOfMakers(db, made)
  return {
    brainKeys: brainKeys.map(({ id, name, brain }) => ({ id, name, brain })),
    webhooks: [...ofBrains, ...ofOrganization.map((webhook) => ({ ...webhook, brain: null }))],
    providers: await selectProvidersOfMakers(db, made),
    connectors: await selectConnectorsOfMakers(db, made),
    triggers: await triggers.selectTriggersOfMakers(db, made),
    schedules: await schedules.selectSchedulesOfMakers(db, made),
  }
}
