import { setTimeout as delay } from 'node:timers/promises'
import { readEvents } from './read-events.ts'

// Clients without retries: each request is sent once, and each failure is reported.

/** A client's pause between two requests: the nodes need the machine. */
const thinkMilliseconds = 10

type Place = { base: string; brainPath: string; key: string }

/** Resolves when a count has grown by so many. */
const createProgress = () => {
  let count = 0
  const listeners = new Set<() => void>()
  return {
    note: () => {
      count++
      for (const listener of listeners) listener()
    },
    more: (expected: number) =>
      new Promise<void>((resolve) => {
        const goal = count + expected
        const look = () => {
          if (count < goal) return
          listeners.delete(look)
          resolve()
        }
        listeners.add(look)
      }),
  }
}

/** Writes, reads and follows the stream until it is stopped. */
export const startTraffic = ({ base, brainPath, key }: Place, { writers = 2, readers = 1, followers = 2 } = {}) => {
  const failures: string[] = []
  const written: string[] = []
  const streams: string[][] = []
  const progress = createProgress()
  const stopping = new AbortController()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const send = async (method: string, path: string, body?: object, more: Record<string, string> = {}) => {
    try {
      const response = await fetch(base + path, {
        ...{ method, headers: { ...headers, ...more } },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const text = await response.text()
      if (response.status < 300) return JSON.parse(text).data
      failures.push(`${method} ${path}: ${response.status} ${text}`)
    } catch (error) {
      failures.push(`${method} ${path}: ${error} ${error instanceof Error ? error.cause : ''}`)
    }
  }
  const loop = async (step: () => Promise<unknown>) => {
    while (!stopping.signal.aborted && failures.length < 20) {
      await step()
      progress.note()
      await delay(thinkMilliseconds)
    }
  }
  const write = async () => {
    const data = await send('POST', `${brainPath}/records`, { kind: 'written' })
    if (data) written.push(data.record.id)
  }
  const read = () => send('GET', `${brainPath}/records?limit=5`)
  const follow = async (got: string[]) => {
    const url = `${base}${brainPath}/events`
    const { status, rest } = await readEvents({ url, headers, signal: stopping.signal }, got).catch((error) => ({
      status: `${error} ${error.cause}`,
      rest: '',
    }))
    if ((status !== 200 || rest !== '') && !stopping.signal.aborted) failures.push(`the stream: ${status} ${rest}`)
  }
  const times = (count: number, start: () => Promise<void>) => Array.from({ length: count }, start)
  const done = Promise.all([
    ...times(writers, () => loop(write)),
    ...times(readers, () => loop(read)),
    ...times(followers, () => {
      const got: string[] = []
      streams.push(got)
      return loop(() => follow(got))
    }),
  ])
  return {
    failures,
    written,
    /** The cursors that each follower got. */
    streams,
    /** Sends one extra request, and returns its data. */
    send,
    /** Resolves after this many more answers. */
    more: progress.more,
    stop: async () => {
      stopping.abort()
      await done
    },
  }
}
