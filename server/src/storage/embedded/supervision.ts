import { setTimeout as delay } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import type { Session } from './owner-lock.ts'
import { type Hold, takeHold } from './ownership.ts'
import { stopPostmaster } from './postmaster.ts'
import type { Postmaster } from './postmaster-file.ts'
import { isAlive } from './processes.ts'
import { removeSocketFolder } from './socket-folder.ts'

type OwnedHold = { postmaster: Postmaster; lock: Session }

const lookMilliseconds = 1_000
const longestPauseMilliseconds = 5_000

/** Keeps the server that we own running, starting it again whenever it dies, until stopped. */
export function keepRunning(cluster: Cluster, first: OwnedHold): { stop(): Promise<void> } {
  const ending = new AbortController()
  let held: OwnedHold | undefined
  let healing: Promise<void> | undefined

  const watch = (hold: OwnedHold) => {
    held = hold
    // The lock's connection is the quickest messenger of a server's death, and of one that reset itself after a child's.
    hold.lock.client.once('end', () => lose(hold))
  }
  const lose = (hold: OwnedHold) => {
    if (ending.signal.aborted || held !== hold) return
    held = undefined
    void hold.lock.client.end().catch(() => {})
    cluster.log.error({ pid: hold.postmaster.pid }, 'PostgreSQL has ended or closed the connection; reconnecting.')
    healing = heal(cluster, ending.signal).then((found) => found && watch(found))
  }
  // The messenger is silent when a session of a dead server hangs on.
  const looking = setInterval(async () => {
    const looked = held
    if (looked && !(await isAlive(looked.postmaster.pid))) lose(looked)
  }, lookMilliseconds)
  looking.unref()
  watch(first)

  return {
    async stop() {
      ending.abort()
      clearInterval(looking)
      await healing
      if (!held) return
      // The lock is kept until the end, so that no other Noema adopts a server that is about to stop.
      await stopPostmaster(held.postmaster)
      await held.lock.client.end().catch(() => {})
      await removeSocketFolder(cluster)
    },
  }
}

async function heal(cluster: Cluster, signal: AbortSignal): Promise<OwnedHold | undefined> {
  for (let pause = 100; !signal.aborted; pause = Math.min(pause * 2, longestPauseMilliseconds)) {
    try {
      const found = ownedOf(await takeHold(cluster, { ownership: 'exclusive', signal }))
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

const ownedOf = ({ postmaster, lock }: Hold): OwnedHold | undefined => (lock ? { postmaster, lock } : undefined)
