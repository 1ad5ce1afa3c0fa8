import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { TracedFunction } from './instrument.ts'
import type { ServiceRequest, TracedService } from './traced-service.ts'

/** A request whose way is shown. Whenever it is made, it finds the same. */
export type Trip = { name: string; take(service: TracedService): Promise<TracedFunction[]> }

const brain = (handle: string): string => `/v1/brains/${handle}`
const get = (path: string): ServiceRequest => ({ method: 'GET', path })
const send = (method: string, path: string, body: unknown, headers = {}): ServiceRequest => ({
  ...{ method, path, body, headers },
})

const question = 'lovelace'

let taken = 0
let agentId = ''
const fresh = (what: string): string => `${what}-${++taken}`

const read = (name: string, path: string): Trip => ({ name, take: (service) => service.trace(get(path)) })

const documents = [
  'The quick brown fox jumps over the lazy dog.',
  'Invoices are due in thirty days unless agreed otherwise.',
  'Ada Lovelace wrote the first program for the engine.',
  'Acme prefers mail to calls, and pays late.',
]

const invoice = () => ({ kind: 'invoice', slug: fresh('invoice'), fields: { customer: 'Acme', amount: taken } })

const newKey = () => ({ 'idempotency-key': fresh('key') })

const postRecord = (handle: string): ServiceRequest => send('POST', `${brain(handle)}/records`, invoice(), newKey())

const patchRecord = (handle: string): ServiceRequest =>
  send('PATCH', `${brain(handle)}/records/known`, { fields: { amount: ++taken } }, newKey())

const postBatch: Trip = {
  name: 'POST batch of 3',
  take: (service) => {
    const operations = [
      { op: 'record.create', ref: 'new', ...invoice() },
      { op: 'statement.assert', subject: { id: '$ref:new', kind: 'invoice' }, predicate: 'is', object: { value: 1 } },
      { op: 'document.put', text: fresh('A text') },
    ]
    return service.trace(send('POST', `${brain('writing')}/batch`, { operations }, newKey()))
  },
}

const decide: Trip = {
  name: 'decide and publish',
  take: async (service) => {
    const { change } = await service.call<{ change: { id: string } }>(patchRecord('reviewed'))
    const path = `${brain('reviewed')}/changes/${change.id}/decide`
    return service.trace(send('POST', path, { decision: 'approved' }, newKey()))
  },
}

const maxWaitMilliseconds = 60_000

/** Polls until something is so; throws if it takes too long. */
const until = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
  for (const end = performance.now() + maxWaitMilliseconds; !(await isSo()); await delay(50))
    if (performance.now() > end) throw new Error(`${what} took longer than a minute.`)
}

const untilDelivered = (service: TracedService): Promise<void> =>
  until('A delivery', async () => {
    const { webhooks } = await service.call<{ webhooks: { pending: boolean }[] }>(get(`${brain('watched')}/webhooks`))
    return webhooks.every(({ pending }) => !pending)
  })

const answerMilliseconds = 100
const settleMilliseconds = 200

const followDelivery = async (service: TracedService): Promise<TracedFunction[]> => {
  const settled = async () => {
    await untilDelivered(service)
    await delay(settleMilliseconds)
  }
  // A write goes another way when the one before it was a while ago.
  await service.call(postRecord('watched'))
  await settled()
  return service.follow(postRecord('watched'), settled)
}

type Run = { run: { runId: string; state: string } }

/** A run of the built-in model: it searches the Brain, and answers from the results. */
const followRun = (service: TracedService): Promise<TracedFunction[]> =>
  service.follow<Run>(send('POST', '/v1/runs', { agentId, input: 'Who wrote the first program?' }), async (data) => {
    await until('A run', async () => {
      const { state } = (await service.call<Run>(get(`/v1/runs/${data.run.runId}`))).run
      if (state !== 'completed' && state !== 'queued' && state !== 'running') throw new Error(`A run ended ${state}.`)
      return state === 'completed'
    })
    await delay(settleMilliseconds)
  })

export const trips: readonly Trip[] = [
  read('whoami', '/v1/whoami'),
  read('GET record', `${brain('knowledge')}/records/known`),
  read('GET events', `${brain('knowledge')}/events?limit=10`),
  { name: 'POST record', take: (service) => service.trace(postRecord('writing')) },
  { name: 'PATCH record', take: (service) => service.trace(patchRecord('writing')) },
  postBatch,
  read('lexical search', `${brain('knowledge')}/search?q=${question}&mode=lexical`),
  read('hybrid search', `${brain('knowledge')}/search?q=${question}`),
  {
    name: 'context',
    take: (service) => service.trace(send('POST', `${brain('knowledge')}/context`, { query: 'lovelace' })),
  },
  decide,
  { name: 'run of two steps', take: followRun },
  { name: 'POST record, delivered', take: followDelivery },
  {
    name: 'delivery by workers',
    take: async (service) => (await followDelivery(service)).filter(({ file }) => /delivery|outbound/.test(file)),
  },
]

const untilIndexed = (service: TracedService): Promise<void> =>
  until('Indexing', async () => {
    const { degraded } = await service.call<{ degraded?: unknown }>(get(`${brain('knowledge')}/search?q=ready`))
    return degraded === undefined
  })

/** Makes the Brains that the trips lead to. `receiver` takes the deliveries. */
export const prepareTrips = async (service: TracedService, receiver: string): Promise<void> => {
  const record = { kind: 'invoice', fields: { customer: 'Acme', amount: 0 } }
  for (const handle of ['knowledge', 'writing', 'reviewed', 'watched']) {
    await service.call(send('PUT', brain(handle), {}))
    await service.call(send('PUT', `${brain(handle)}/records/known`, record))
  }
  await service.call(send('PATCH', brain('reviewed'), { mode: 'review' }))
  await service.call(send('POST', `${brain('watched')}/webhooks`, { url: receiver }))
  const operations = documents.map((text, at) => ({ op: 'document.put', id: `document-${at}`, text }))
  await service.call(send('POST', `${brain('knowledge')}/batch`, { operations }))
  const agent = {
    ...{ name: 'Librarian', instructions: 'Answer from the Brain.', model: 'noema/extractive' },
    brains: [{ handle: 'knowledge', access: 'read_only' }],
  }
  agentId = (await service.call<{ agent: { id: string } }>(send('POST', '/v1/agents', agent))).agent.id
  await untilIndexed(service)
}

/** Answers a delivery when all else that its write sets off is over: so it always goes the same way. */
export const startReceiver = async () => {
  const server = createServer((request, response) => {
    request.resume()
    request.once('end', () => setTimeout(() => response.writeHead(204).end(), answerMilliseconds))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
