import { setTimeout as delay } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import type { Session } from './owner-lock.ts'
import { type Ownership, takeOwnership } from './ownership.ts'
import { stopPostmaster } from './postmaster.ts'
import type { Postmaster } from './postmaster-file.ts'
import { isAlive } from './processes.ts'
import { removeSocketFolder } from './socket-folder.ts'

type Owned = { postmaster: Postmaster; lock: Session }

const pollMilliseconds = 1_000
const maxPauseMilliseconds = 5_000

/** Keeps the server that we own running, starting it again whenever it dies, until stopped. */
export function keepRunning(cluster: Cluster, first: Owned): { stop(): Promise<void> } {
  const ending = new AbortController()
  let current: Owned | undefined
  let healing: Promise<void> | undefined

  const watch = (owned: Owned) => {
    current = owned
    // The lock's connection is the quickest messenger of a server's death, and of one that reset itself after a child's.
    owned.lock.client.once('end', () => lose(owned))
  }
  const lose = (owned: Owned) => {
    if (ending.signal.aborted || current !== owned) return
    current = undefined
    void owned.lock.client.end().catch(() => {})
    cluster.log.error({ pid: owned.postmaster.pid }, 'PostgreSQL has ended or closed the connection; reconnecting.')
    healing = heal(cluster, ending.signal).then((found) => found && watch(found))
  }
  // The messenger is silent when a session of a dead server hangs on.
  const looking = setInterval(() => {
    if (current && !isAlive(current.postmaster.pid)) lose(current)
  }, pollMilliseconds)
  looking.unref()
  watch(first)

  return {
    async stop() {
      ending.abort()
      clearInterval(looking)
      await healing
      if (!current) return
      // The lock is kept until the end, so that no other Noema adopts a server that is about to stop.
      await stopPostmaster(current.postmaster)
      await current.lock.client.end().catch(() => {})
      await removeSocketFolder(cluster)
    },
  }
}

async function heal(cluster: Cluster, signal: AbortSignal): Promise<Owned | undefined> {
  for (let pause = 100; !signal.aborted; pause = Math.min(pause * 2, maxPauseMilliseconds)) {
    try {
      const found = toOwned(await takeOwnership(cluster, { ownership: 'exclusive', signal }))
      cluster.log.info({ pid: found?.postmaster.pid }, 'PostgreSQL is ready again.')
      return found
    } catch (error) {
      if (signal.aborted) return undefined
      cluster.log.error({ err: error }, 'PostgreSQL is not available again yet; retrying.')
      await delay(pause, undefined, { signal, ref: false }).catch(() => {})
    }
  }
  return undefined
}

const toOwned = ({ postmaster, lock }: Ownership): Owned | undefined => (lock ? { postmaster, lock } : undefined)
