import { type RawBuilder, sql } from 'kysely'
import { maxStates, type StateScope, stateColumns, toHost } from '../../../storage/ongoing-states.ts'

/** Webhooks of Brains whose last attempt failed. */
export const selectFailingWebhooks = ({ organizationId }: StateScope): RawBuilder<unknown> => sql`
  (select ${stateColumns({
    ...{ kind: 'webhook.failing', targetType: 'brain_webhook', targetId: sql`webhook.id` },
    ...{ name: toHost(sql`webhook.url`), brain: sql`brain.handle`, since: sql`webhook.failing_since` },
  })}
  from brain_webhooks as webhook join brains as brain using (brain_id)
  where webhook.failing_organization = ${organizationId} and brain.deleted_at is null
  order by webhook.id limit ${maxStates})`
