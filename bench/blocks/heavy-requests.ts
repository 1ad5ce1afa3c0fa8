import { once } from 'node:events'
import { connect } from 'node:net'
import type { Noema } from '../parts/noema.ts'

// Requests as large as the API allows.

/** `prepare` answers what sends it once, and waits until it is answered whole. */
export type Heavy = { name: string; prepare(noema: Noema): Promise<(turn: number) => Promise<void>> }

const brain = '/v1/brains/heavy'

/** Sends a request and reads its answer away, which must have the status. */
const sendTo =
  ({ port, key }: Noema) =>
  async (method: string, path: string, body?: Buffer | object, status = 200, type = 'application/json') => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        accept: path.endsWith('/mcp') ? 'application/json, text/event-stream' : '*/*',
        ...(body ? { 'content-type': type } : {}),
      },
      ...(body ? { body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body) } : {}),
    })
    const answer = Buffer.from(await response.arrayBuffer())
    // A refusal must be the one that is meant.
    if (response.ok ? status !== 200 : response.status !== status)
      throw new Error(`${method} ${path} was answered ${response.status}: ${answer.toString().slice(0, 300)}`)
    return answer
  }

const begin = async (noema: Noema) => {
  await noema.call('PUT', brain, {})
  return sendTo(noema)
}

/** A request that is the same each time but for what `toBody` makes of the turn, made before it is measured. */
const write = (name: string, path: string, toBody: (turn: number) => object, status = 200): Heavy => ({
  name,
  prepare: async (noema) => {
    const send = await begin(noema)
    const bodies = [0, 1, 2, 3, 4, 5].map((turn) => Buffer.from(JSON.stringify(toBody(turn))))
    return async (turn) => void (await send('POST', `${brain}${path}`, bodies[turn % bodies.length], status))
  },
})

const megabytes = (text: string, count: number) => text.repeat(Math.ceil((count * 1_000_000) / text.length))

const records = (count: number, text: string, turn: number) => ({
  operations: Array.from({ length: count }, (_, n) => ({
    op: 'record.create',
    kind: 'k',
    fields: { n, turn, text },
  })),
})

const dates: Heavy = {
  name: 'dates',
  prepare: async (noema) => {
    const send = await begin(noema)
    const notifyBefore = Array.from({ length: 20 }, (_, index) => `P${index}D`)
    const operations = [
      { op: 'addKind', kind: 'dated', fields: [{ name: 'at', type: 'datetime', many: true, notifyBefore }] },
    ]
    const { change } = await noema.call<{ change: { id: string } }>('POST', `${brain}/schema/evolve`, {
      baseVersion: 0,
      operations,
    })
    await noema.call('POST', `${brain}/changes/${change.id}/decide`, { decision: 'approved' })
    const day = 86_400_000
    const at = Array.from({ length: 50 }, (_, index) => new Date(Date.now() + (index + 40) * day).toISOString())
    const record = { op: 'record.create', kind: 'dated', fields: { at } }
    return async () => void (await send('POST', `${brain}/batch`, { operations: Array(20).fill(record) }))
  },
}

/** A Brain with records of 5 MB, whose pages are full. */
const readHeavy = (name: string, toSend: (send: ReturnType<typeof sendTo>) => Promise<unknown>): Heavy => ({
  name,
  prepare: async (noema) => {
    const send = await begin(noema)
    const body = records(1, megabytes('some text ', 5), 0)
    for (let n = 0; n < 4; n++) await send('POST', `${brain}/batch`, body)
    return async () => void (await toSend(send))
  },
})

const importing: Heavy = {
  name: 'import',
  prepare: async (noema) => {
    const send = await begin(noema)
    for (let n = 0; n < 4; n++) await send('POST', `${brain}/batch`, records(1_000, megabytes('some text ', 0.003), n))
    for (let n = 0; n < 2; n++) await send('POST', `${brain}/batch`, records(1, megabytes('some text ', 5), n))
    const file = await send('GET', `${brain}/export?history=true`)
    return async (turn) => {
      await noema.call('PUT', `/v1/brains/copy-${turn}`, {})
      await send('POST', `/v1/brains/copy-${turn}/import`, file, 200, 'application/x-ndjson')
    }
  },
}

const message = (text: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'knowledge_write', arguments: { operations: [{ op: 'document.put', text }] } },
})

export const heavyRequests: readonly Heavy[] = [
  write('text', '/documents', (turn) => ({ text: megabytes(`ab-${turn} `, 15) })),
  write('quoted-text', '/documents', (turn) => ({ text: megabytes(`{"a":${turn}},`, 10) })),
  write('large-record', '/batch', (turn) => records(1, megabytes(`ab-${turn} `, 15), turn)),
  write('many-records', '/batch', (turn) => records(1_000, megabytes(`ab-${turn} `, 0.015), turn)),
  write('many-values', '/batch', (turn) => ({
    operations: [{ op: 'record.create', kind: 'k', fields: { turn, a: Array(490_000).fill(0) } }],
  })),
  write('too-many-values', '/batch', () => ({ operations: Array(5_000_000).fill(0) }), 400),
  write('mcp-text', '/mcp', (turn) => message(megabytes(`ab-${turn} `, 15))),
  dates,
  readHeavy('list', (send) => send('GET', `${brain}/records?limit=50`)),
  readHeavy('query', (send) => send('POST', `${brain}/query`, { kind: 'k', limit: 50 })),
  readHeavy('events', (send) => send('GET', `${brain}/events?limit=50`)),
  readHeavy('export', (send) => send('GET', `${brain}/export?history=true`)),
  importing,
]

const connections = 1_500

/** 1,500 new connections at once, each with a small request. */
export const burst: Heavy = {
  name: 'burst',
  prepare: async (noema) => {
    await begin(noema)
    const asked = `GET /v1/whoami HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${noema.key}\r\n\r\n`
    const ask = async () => {
      const socket = connect({ port: noema.port, host: '127.0.0.1' }, () => socket.write(asked))
      await once(socket, 'data')
      socket.destroy()
    }
    return async () => void (await Promise.all(Array.from({ length: connections }, ask)))
  },
}
