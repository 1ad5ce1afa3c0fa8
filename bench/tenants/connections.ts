import { type ClientRequest, request } from 'node:http'
import { connect } from 'node:net'
import type { Account } from './account.ts'
import { type Attack, pause, type Running, repeatedly } from './attack.ts'

// Attacks that hold something open: streams, transfers, writes that wait, connections.

/** More than a node takes from one address. */
const idleCount = 3_000

const exportHeader = `${JSON.stringify({
  header: {
    ...{ format: 'noema-brain', version: 1, history: false, stateVersion: 1, schemaVersion: 0 },
    brain: { name: null, purpose: null, mode: 'direct', reviewRules: {} },
  },
})}\n`

/** Opens a request on a new connection. `ended` gets the status of its answer; 0 without one. */
const open = (
  { base, key }: Account,
  { method, path, headers = {} }: { method: string; path: string; headers?: Record<string, string> },
  ended: (status: number) => void,
  isRead: boolean,
): ClientRequest => {
  const url = new URL(base + path)
  const sent = request(url, { method, agent: false, headers: { authorization: `Bearer ${key}`, ...headers } })
  sent.on('error', () => ended(0))
  sent.on('response', (response) => {
    if (isRead || response.statusCode !== 200) response.resume()
    response.on('error', () => undefined)
    response.on('close', () => ended(response.statusCode ?? 0))
  })
  return sent
}

/** Holds something open until the signal, and opens it again a few seconds after it was refused or ended. */
const hold = async (running: Running, begin: (ended: () => void) => ClientRequest): Promise<void> => {
  while (!running.signal.aborted) {
    await new Promise<void>((resolve) => {
      const sent = begin(resolve)
      running.signal.addEventListener('abort', () => {
        sent.destroy()
        resolve()
      })
    })
    await pause(2_000 + Math.random() * 4_000, running)
  }
}

const holdMany = (count: number, running: Running, begin: (place: number, ended: () => void) => ClientRequest) =>
  Promise.all(Array.from({ length: count }, (_, place) => hold(running, (ended) => begin(place, ended))))

/** An import that sends a header, and a byte of its next line each 30 seconds. */
const trickleImport = (account: Account, handle: string) => (ended: () => void) => {
  const path = `/v1/brains/${handle}/import`
  const sent = open(account, { method: 'POST', path, headers: { 'content-type': 'application/x-ndjson' } }, ended, true)
  sent.write(exportHeader)
  const timer = setInterval(() => sent.write(' '), 30_000)
  sent.once('close', () => clearInterval(timer))
  return sent
}

const waiting: Attack = {
  name: 'waiting',
  about: 'a trickled import holds a Brain of its own, and 40 calls of that Brain wait for it',
  prepare: ({ send }) => send('PUT', '/v1/brains/held', {}),
  run: (account, running) =>
    Promise.all([
      hold(running, trickleImport(account, 'held')),
      repeatedly(40, running, (turn) => account.send('PATCH', '/v1/brains/held', { name: `name ${turn}` })),
    ]),
}

const streams: Attack = {
  name: 'streams',
  about: '5,000 idle event streams, as many as are let in',
  prepare: ({ send }) => send('PUT', '/v1/brains/streams', {}),
  run: (account, running) =>
    holdMany(5_000, running, (_place, ended) => {
      const headers = { accept: 'text/event-stream' }
      return open(account, { method: 'GET', path: '/v1/brains/streams/events', headers }, ended, true).end()
    }),
}

const transfers: Attack = {
  name: 'transfers',
  about: 'eight imports of a byte each 30 seconds, and eight exports that nobody reads',
  prepare: async ({ send }) => {
    for (let n = 0; n < 4; n++) await send('PUT', `/v1/brains/transfer-${n}`, {})
    const operations = Array.from({ length: 1_000 }, () => ({
      op: 'record.create',
      kind: 'k',
      fields: { t: 'x'.repeat(9_000) },
    }))
    await send('POST', '/v1/brains/transfer-0/batch', { operations })
  },
  run: (account, running) =>
    Promise.all([
      holdMany(8, running, (place, ended) => trickleImport(account, `transfer-${1 + (place % 3)}`)(ended)),
      holdMany(8, running, (_place, ended) =>
        open(account, { method: 'GET', path: '/v1/brains/transfer-0/export' }, ended, false).end(),
      ),
    ]),
}

const flood: Attack = {
  name: 'flood',
  about: '64 connections that ask one small thing after the other, and connect again when they are closed',
  run: ({ base, key }, { signal }) => {
    const { port, host } = new URL(base)
    const asked = `GET /v1/whoami HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\n\r\n`
    const ask = () =>
      new Promise<void>((resolve) => {
        const stop = () => socket.destroy()
        const socket = connect({ port: Number(port), host: '127.0.0.1' }, () => socket.write(asked))
        socket.on('data', (chunk) => chunk.includes('HTTP/1.1') && socket.write(asked))
        socket.on('error', () => undefined)
        socket.on('close', () => {
          signal.removeEventListener('abort', stop)
          resolve()
        })
        signal.addEventListener('abort', stop)
      })
    // A disconnected caller comes back at once.
    const flow = async () => {
      while (!signal.aborted) await ask()
    }
    return Promise.all(Array.from({ length: 64 }, flow))
  },
}

const idleConnections: Attack = {
  name: 'idle connections',
  about: `${idleCount.toLocaleString('en-US')} connections that send nothing, from one address, opened again when they are closed`,
  run: ({ base }, running) => {
    const { port } = new URL(base)
    const stay = () =>
      new Promise<void>((resolve) => {
        const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: '127.1.1.1' })
        const stop = () => socket.destroy()
        socket.on('error', () => undefined)
        socket.on('close', () => {
          running.signal.removeEventListener('abort', stop)
          resolve()
        })
        running.signal.addEventListener('abort', stop)
      })
    return repeatedly(idleCount, running, async () => {
      await stay()
      await pause(1_000, running)
    })
  },
}

export const connectionAttacks: readonly Attack[] = [waiting, streams, transfers, flood, idleConnections]
