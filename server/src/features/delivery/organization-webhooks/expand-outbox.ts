import type { Clock } from '../../../shared/clock.ts'
import { type Topics, webhookTopic } from '../../../shared/concurrency/topics.ts'
import { newId } from '../../../shared/ids.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db } from '../../../storage/database.ts'
import { createOutboxWork } from '../../platform/outbox/outbox.ts'
import type { StoredEvent } from '../../platform/outbox/outbox-queries.ts'
import { correctionData } from './corrections.ts'
import { insertDeliveries, type NewDeliveries } from './delivery-queries.ts'
import { selectConcerned } from './webhook-queries.ts'

// An event of the outbox becomes a delivery for each webhook that wants it, with the body as it will be sent.

/** Finds the agents of some runs of an organization. */
type FindAgents = (organizationId: string, runIds: readonly string[]) => Promise<string[]>

type Deps = { db: Db; clock: Clock; log: Log; topics: Topics; findAgents: FindAgents }

/** The data of an event, and the webhooks that it is for: of those for one agent, a correction is for those whose runs read it. */
const complete = async (
  { db, findAgents }: Pick<Deps, 'db' | 'findAgents'>,
  { organizationId, event, data, webhookIds }: StoredEvent,
) => {
  if (event !== 'knowledge.corrected' || webhookIds.length === 0) return { data, webhooks: webhookIds }
  const corrected = await correctionData(db, data)
  const consumerIds = corrected.consumers.flatMap(({ consumerId }) => consumerId ?? [])
  const agentIds = await findAgents(organizationId, consumerIds)
  return { data: corrected, webhooks: await selectConcerned(db, organizationId, { webhooks: webhookIds, agentIds }) }
}

const expandEvent = async (
  deps: Pick<Deps, 'db' | 'findAgents'>,
  now: Date,
  stored: StoredEvent,
): Promise<NewDeliveries> => {
  const { event, at } = stored
  const { data, webhooks } = await complete(deps, stored)
  return {
    event,
    body: JSON.stringify({ event, timestamp: at.toISOString(), data }),
    deliveries: webhooks.map((webhook) => ({ id: newId('dlv', now), webhook })),
  }
}

/** The outbox as leased work: a turn makes deliveries of an organization's events. */
export const createExpansionWork = ({ db, clock, log, topics, findAgents }: Deps) =>
  createOutboxWork<NewDeliveries>(
    { db, clock, log },
    {
      name: 'make deliveries to organizations',
      expand: (event) => expandEvent({ db, findAgents }, clock.now(), event),
      store: async (tx, made) => {
        const requested = made.filter(({ deliveries }) => deliveries.length > 0)
        if (requested.length > 0) await insertDeliveries(tx, requested, clock.now())
      },
      stored: (made) => {
        const webhooks = new Set(made.flatMap(({ deliveries }) => deliveries.map(({ webhook }) => webhook)))
        for (const webhook of webhooks) topics.publish(webhookTopic(webhook))
      },
    },
  )
