import type { EndAccess } from '../features/accounts/auth/auth.ts'
import { revokeKeysOfPerson } from '../features/accounts/keys/keys.ts'
import { removeWebhooksOfMakers as removeBrainWebhooks } from '../features/delivery/brain-webhooks/brain-webhooks.ts'
import { removeWebhooksOfMakers as removeOrganizationWebhooks } from '../features/delivery/organization-webhooks/organization-webhooks.ts'

/**
 * Ends what a person made that lets somebody in or sends something out: management keys, as far as is asked the Brain keys that
 * they or those keys minted, and the webhooks that any of the ended made.
 */
export const endAccess: EndAccess = async (db, access, now) => {
  const { makers, ...keys } = await revokeKeysOfPerson(db, access, now)
  const { organizationIds } = access
  const ofBrains = await removeBrainWebhooks(db, { makers, organizationIds })
  const ofOrganizations = await removeOrganizationWebhooks(db, { makers, organizationIds })
  const webhooks = [...ofBrains, ...ofOrganizations.map((webhook) => ({ ...webhook, brain: null }))]
  return { ...keys, webhooks }
}
