import { setTimeout as delay } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import { createDatabase } from './create-database.ts'
import { claimFiles, holdsDatabase } from './data-folder.ts'
import { connectOnce, DataFolderInUse, type Session, serverVersion, takeLock } from './owner-lock.ts'
import { expectedCommandLine, type StartedPostmaster, startPostmaster, stopPostmaster } from './postmaster.ts'
import { findPostmaster, type Postmaster, readRecordedPid, ServedElsewhere } from './postmaster-file.ts'
import { isAlive } from './processes.ts'
import { openSocketFolder } from './socket-folder.ts'

/** A running server, with the connection whose lock makes it ours; a guest at another Noema's server holds none. */
export type Ownership = { postmaster: Postmaster; lock: Session | undefined }

export type Wish = { ownership: 'exclusive' | 'shared'; signal: AbortSignal }

const startMilliseconds = 60_000
// A server that someone else started and that does not answer for this long has lost its socket or hangs.
const silenceMilliseconds = 10_000
// Recovery after a crash reads up to max_wal_size of log; ending it midway would only make the next start do it again.
const recoveryMilliseconds = 600_000

/** Finds or starts the server of the database and takes the owner's lock; throws DataFolderInUse where another has it. */
export async function takeOwnership(cluster: Cluster, wish: Wish): Promise<Ownership> {
  const deadline = Date.now() + startMilliseconds
  for (let pause = 20; ; pause = Math.min(pause * 2, 1_000)) {
    wish.signal.throwIfAborted()
    const found = await findRunning(cluster, deadline)
    const owned = found ? await ownRunning(cluster, found, wish) : await ownStarted(cluster, wish, deadline)
    // The service's own work keeps the process alive, not the lock on its database.
    owned?.lock?.socket.unref()
    if (owned) return owned
    if (Date.now() > deadline) {
      throw new Error(`PostgreSQL did not start on ${cluster.dataPath}; see ${cluster.logPath}.`)
    }
    await delay(pause, undefined, { signal: wish.signal })
  }
}

async function findRunning(cluster: Cluster, deadline: number): Promise<Postmaster | undefined> {
  // A server that stops at this very moment can look like one that runs elsewhere, so one check does not decide.
  for (let looks = 1; ; looks++) {
    try {
      return await findPostmaster(cluster.dataPath, cluster.socketFolder)
    } catch (error) {
      if (!(error instanceof ServedElsewhere)) throw error
      if (looks === 20 || Date.now() > deadline) throw new DataFolderInUse(cluster.home)
      await delay(100)
    }
  }
}

// Another owner's server, or an orphan of a killed service: the lock shows which.
async function ownRunning(cluster: Cluster, postmaster: Postmaster, wish: Wish): Promise<Ownership | undefined> {
  const session = await connectWhenReady(cluster, postmaster, { silence: silenceMilliseconds, signal: wish.signal })
  if (session === 'ended') return undefined
  if (session === 'silent') {
    cluster.log.warn(
      { pid: postmaster.pid },
      'A PostgreSQL left running on the data folder does not respond; restarting it.',
    )
    await stopPostmaster(postmaster)
    return undefined
  }
  if (wish.ownership === 'shared') {
    await session.client.end()
    return { postmaster, lock: undefined }
  }
  const lock = await lockOrLetGo(cluster, postmaster, session)
  if (!lock) return undefined
  if (await isAsWeWouldStartIt(cluster, { postmaster, lock })) {
    cluster.log.info({ pid: postmaster.pid }, 'Adopted the PostgreSQL that an earlier run left running.')
    return { postmaster, lock }
  }
  cluster.log.info(
    { pid: postmaster.pid },
    'Restarting the PostgreSQL of an earlier run: its program or settings differ.',
  )
  await stopPostmaster(postmaster)
  await lock.client.end().catch(() => {})
  return undefined
}

async function ownStarted(cluster: Cluster, wish: Wish, deadline: number): Promise<Ownership | undefined> {
  if (await holdsDatabase(cluster.dataPath, cluster.binaries.majorVersion)) await claimFiles(cluster)
  else await createDatabase(cluster)
  await openSocketFolder(cluster)
  const postmaster = await startPostmaster(cluster)
  try {
    const session = await connectWhenReady(cluster, postmaster, { silence: startMilliseconds, signal: wish.signal })
    if (session === 'ended') return await explainEnd(cluster, postmaster, deadline)
    if (session === 'silent') throw new Error(`PostgreSQL accepted no connection for 60 s; see ${cluster.logPath}.`)
    const lock = await lockOrLetGo(cluster, postmaster, session)
    return lock ? { postmaster, lock } : undefined
  } catch (error) {
    if (!(error instanceof DataFolderInUse)) await stopPostmaster(postmaster)
    // Another Noema was quicker to take the lock of the server we started; a guest is content with that.
    else if (wish.ownership === 'shared') return { postmaster, lock: undefined }
    throw error
  }
}

async function connectWhenReady(
  cluster: Cluster,
  postmaster: Postmaster,
  limits: { silence: number; signal: AbortSignal },
): Promise<Session | 'ended' | 'silent'> {
  const start = Date.now()
  for (let heardAt = start; ; ) {
    const attempt = await connectOnce(postmaster)
    if (attempt === 'full') throw new DataFolderInUse(cluster.home)
    if (typeof attempt !== 'string') return attempt
    if (!isAlive(postmaster.pid)) return 'ended'
    const now = Date.now()
    if (attempt === 'starting') heardAt = now
    if (now - heardAt > limits.silence || now - start > recoveryMilliseconds) return 'silent'
    await delay(15, undefined, { signal: limits.signal })
  }
}

async function lockOrLetGo(cluster: Cluster, postmaster: Postmaster, session: Session): Promise<Session | undefined> {
  // If the connection breaks here, the server is just being stopped: check again.
  const isOurs = await takeLock(session).catch(() => undefined)
  // Of two servers that start at once, one exits, and its starter has reached the other through their common socket.
  if (isOurs && (await readRecordedPid(cluster.dataPath)) === postmaster.pid) return session
  await session.client.end().catch(() => {})
  if (isOurs === false) throw new DataFolderInUse(cluster.home)
  return undefined
}

async function isAsWeWouldStartIt(
  cluster: Cluster,
  found: { postmaster: Postmaster; lock: Session },
): Promise<boolean> {
  // The package may have been updated in place, so the same command line can mean another version.
  const version = await serverVersion(found.lock).catch(() => undefined)
  return version === cluster.binaries.version && found.postmaster.commandLine === expectedCommandLine(cluster)
}

// A server that lost the race against another, or that came too early after a crash, is worth another try.
async function explainEnd(cluster: Cluster, postmaster: StartedPostmaster, deadline: number): Promise<undefined> {
  const output = await postmaster.output()
  const isPassing = /lock file .* already exists|pre-existing shared memory block/.test(output)
  if (isPassing && Date.now() < deadline) return undefined
  const lastLines = output.trim().split('\n').slice(-10).join('\n')
  throw new Error(`PostgreSQL ended while it started (its log is ${cluster.logPath}):\n${lastLines}`)
}
