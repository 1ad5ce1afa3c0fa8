// What the test of the SDK's package runs under each Node, and in a browser: somebody's first program.
import { createClient } from '@noema/sdk'
import { NotFoundError } from '@noema/sdk/errors'
import { isEventType } from '@noema/sdk/event-types'
import { createGapDetector } from '@noema/sdk/gap-detector'
import { newSecret, sign, unwrap } from '@noema/sdk/webhooks'

/** Writes, reads, follows and verifies; gives what came of it. */
export const useSdk = async ({ baseUrl, apiKey, handle }) => {
  const client = createClient({ baseUrl, apiKey })
  await client.brains.put(handle)
  const brain = client.brain(handle)
  const { record, outcome } = await brain.records.create({ kind: 'person', slug: 'ada', fields: { name: 'Ada' } })
  const slugs = []
  for await (const one of brain.records.list()) slugs.push(one.slug)
  const types = []
  for await (const event of brain.events.follow()) {
    types.push(event.type)
    break
  }
  const missing = await brain.records.get('rec_none').catch((error) => error instanceof NotFoundError)
  const secret = newSecret()
  const body = JSON.stringify({ webhook: 'w', previousCursor: null, event: { type: 'webhook.test' } })
  const delivery = await unwrap(body, await sign(body, secret, { id: 'msg_1' }), secret)
  const handled = await createGapDetector(brain, { onEvent: () => undefined }).receive(delivery)
  return {
    ...{ outcome, slugs, types, missing, kind: delivery.kind, handled },
    version: record.version,
    known: isEventType('record.accepted'),
  }
}
