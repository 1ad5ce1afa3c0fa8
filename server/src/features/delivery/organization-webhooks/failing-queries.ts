import { type RawBuilder, sql } from 'kysely'
import { maxStates, type StateScope, stateColumns, toHost } from '../../../storage/ongoing-states.ts'

/** Webhooks of an organization where the newest delivery that was tried has not arrived. */
export const selectFailingOrganizationWebhooks = ({ organizationId }: StateScope): RawBuilder<unknown> => sql`
  (select ${stateColumns({
    ...{ kind: 'webhook.failing', targetType: 'webhook', targetId: sql`webhook.id`, name: toHost(sql`webhook.url`) },
    since: sql`tried.created_at`,
  })}
  from organization_webhooks as webhook cross join lateral (
    select state, created_at from organization_deliveries
    where webhook_id = webhook.id and attempts > 0 order by id desc limit 1) as tried
  where webhook.organization_id = ${organizationId} and tried.state <> 'delivered'
  order by webhook.id limit ${maxStates})`
