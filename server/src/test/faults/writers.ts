import { setTimeout as delay } from 'node:timers/promises'

// Clients that write with idempotency keys and repeat each write until it is answered, whatever the server does.

const backOffMilliseconds = 20
const timeoutMilliseconds = 15_000

/** A write, and the expected content of the Brain after it is acknowledged. */
export type PlannedWrite = {
  key: string
  method: 'POST' | 'PUT' | 'PATCH'
  below: string
  body: object
  /** Carried by everything that the write makes: so many records, documents and statements. */
  tag: string
  makes: { records: number; documents: number; statements: number }
  status: number
}

/** A client's answer, as it arrived. */
export type Acknowledged = { write: PlannedWrite; status: number; text: string; isReplay: boolean }

export type Place = { url: () => string; brainPath: string; secret: string }

/** Sends a write once; undefined without an answer, or if the answer says to try again. */
export const sendOnce = async (
  place: Place,
  write: PlannedWrite,
  body: object = write.body,
): Promise<Acknowledged | undefined> => {
  try {
    const response = await fetch(place.url() + place.brainPath + write.below, {
      method: write.method,
      headers: {
        authorization: `Bearer ${place.secret}`,
        'content-type': 'application/json',
        'idempotency-key': write.key,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMilliseconds),
    })
    const text = await response.text()
    if (response.status === 503 || response.status === 429) return undefined
    return { write, status: response.status, text, isReplay: response.headers.has('idempotent-replayed') }
  } catch {
    return undefined
  }
}

/** Sends a write until it is answered. */
const sendUntilAnswered = async (place: Place, write: PlannedWrite): Promise<Acknowledged> => {
  for (;;) {
    const answer = await sendOnce(place, write)
    if (answer) return answer
    await delay(backOffMilliseconds)
  }
}

const plans = ['create', 'document', 'batch', 'refused'] as const

/** The nth write of a client, by a random choice in [0, 1). */
const planWrite = (client: number, n: number, chance: number): PlannedWrite => {
  const tag = `w${client}-${n}`
  const shared = { key: `key-${tag}`, tag, method: 'POST' } as const
  const record = { kind: 'k', fields: { tag } }
  const none = { records: 0, documents: 0, statements: 0 }
  switch (plans[Math.floor(chance * plans.length)] ?? 'create') {
    case 'create':
      return { ...shared, below: '/records', body: record, makes: { ...none, records: 1 }, status: 201 }
    case 'document':
      return {
        ...shared,
        below: '/documents',
        body: { text: tag, title: tag },
        makes: { ...none, documents: 1 },
        status: 201,
      }
    case 'batch': {
      const operations = [
        { op: 'record.create', ref: 'one', ...record },
        { op: 'record.create', ...record },
        { op: 'document.put', text: tag, title: tag },
        { op: 'statement.assert', subject: { id: '$ref:one', kind: 'k' }, predicate: tag, object: { value: tag } },
      ]
      return {
        ...shared,
        below: '/batch',
        body: { operations },
        makes: { records: 2, documents: 1, statements: 1 },
        status: 200,
      }
    }
    case 'refused': {
      const operations = [
        { op: 'record.create', ...record },
        { op: 'record.delete', id: 'never' },
      ]
      return { ...shared, below: '/batch', body: { operations }, makes: none, status: 404 }
    }
  }
}

/** Sixteen clients that write until they are stopped, each with a pause after a write. Each finishes its current write. */
export const startClients = (place: Place, random: () => number, clients = 16, pauseMilliseconds = 0) => {
  const acknowledged: Acknowledged[] = []
  let stopped = false
  const listeners = new Set<() => void>()
  const write = async (client: number) => {
    for (let n = 0; !stopped; n++) {
      acknowledged.push(await sendUntilAnswered(place, planWrite(client, n, random())))
      for (const listener of listeners) listener()
      if (pauseMilliseconds > 0) await delay(pauseMilliseconds)
    }
  }
  const done = Promise.all(Array.from({ length: clients }, (_, client) => write(client)))
  return {
    acknowledged,
    /** Resolves when so many more writes are acknowledged. */
    progress: (more: number) =>
      new Promise<void>((resolve) => {
        const goal = acknowledged.length + more
        const listener = () => {
          if (acknowledged.length < goal) return
          listeners.delete(listener)
          resolve()
        }
        listeners.add(listener)
      }),
    stop: async () => {
      stopped = true
      await done
    },
  }
}
