import { type RawBuilder, sql } from 'kysely'
import { maxStates, type StateScope, stateColumns, toHost } from '../../../storage/ongoing-states.ts'

/** Webhooks of Brains whose last attempt failed. Each Brain is looked up by itself, however many others there are. */
export const selectFailingWebhooks = ({ organizationId }: StateScope): RawBuilder<unknown> => sql`
  (select ${stateColumns({
    ...{ kind: 'webhook.failing', targetType: 'brain_webhook', targetId: sql`webhook.id` },
    ...{ name: toHost(sql`webhook.url`), brain: sql`brain.handle`, since: sql`webhook.failing_since` },
  })}
  from brain_webhooks as webhook cross join lateral (
    select handle from brains where brain_id = webhook.brain_id and deleted_at is null offset 0) as brain
  where webhook.failing_organization = ${organizationId}
  order by webhook.id limit ${maxStates})`
