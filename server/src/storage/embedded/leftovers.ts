import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive } from './processes.ts'

// Pids repeat in containers, so a living one proves little; no one uses such a folder for an hour.
const maxUseMilliseconds = 3_600_000

// Children of the crashed process may still write there for a moment.
const removal = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }

/** Removes unfinished folders, named `<prefix><pid>-<random>`, of processes that crashed while they filled them. */
export async function removeLeftovers(folder: string, prefix: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(prefix) ? /^(\d+)-[0-9a-f]+$/.exec(name.slice(prefix.length))?.[1] : undefined
    if (pid === undefined) continue
    const path = join(folder, name)
    const made = await stat(path).catch(() => undefined)
    if (!made) continue
    const isOld = Date.now() - made.mtimeMs > maxUseMilliseconds
    if (isOld || !isAlive(Number(pid))) await rm(path, removal)
  }
}
