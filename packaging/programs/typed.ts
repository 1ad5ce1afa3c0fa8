// Compiled against the SDK's package by the test of it, with the declarations of every library checked.
import { type BrainClient, createClient } from '@noema/sdk'
import { ConflictError } from '@noema/sdk/errors'
import { type BrainDelivery, unwrap } from '@noema/sdk/webhooks'

const client = createClient({ apiKey: 'nbk_x' })
export const brain: BrainClient = client.brain('handbook')

export const read = async (): Promise<[string, number]> => {
  const { record } = await brain.records.get('rec_1')
  // @ts-expect-error a record has no such property
  record.nothing
  // @ts-expect-error a kind is a text
  await brain.records.create({ kind: 1 }).catch((error) => error instanceof ConflictError)
  for await (const event of brain.events.follow()) {
    if (event.type === 'record.accepted') return [event.data.record.id, record.version]
  }
  const { results } = await brain.search({ q: 'apollo', limit: 3 })
  return [results[0]?.id ?? '', record.version]
}

export const receive = async (body: string, headers: Headers): Promise<BrainDelivery | undefined> => {
  const delivery = await unwrap(body, headers, 'whsec_x')
  return delivery.kind === 'brain' ? delivery : undefined
}
