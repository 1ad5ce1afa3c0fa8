import { spawnSync } from 'node:child_process'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** The operating system user that PostgreSQL runs as when we are root; `undefined` elsewhere means "as ourselves". */
export type Account = { name: string; uid: number; gid: number }

// macOS names its PostgreSQL user `_postgres`; `nobody` exists everywhere.
const preferredNames = ['postgres', '_postgres', 'nobody']

export const isRoot = (): boolean => process.getuid?.() === 0

/** The accounts of a passwd file, in the order of its lines. */
function parsePasswd(text: string): Account[] {
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':')
    if (!name || !uid || !gid || name.startsWith('#')) return []
    return [{ name, uid: Number(uid), gid: Number(gid) }]
  })
}

function knownAccounts(): Account[] {
  try {
    return parsePasswd(readFileSync('/etc/passwd', 'utf8'))
  } catch {
    return []
  }
}

/**
 * Chooses the user for PostgreSQL: the current one unless we are root; else the owner of existing database files, else
 * `postgres` or `nobody`.
 */
export function serverAccount(dataPath?: string): Account | undefined {
  if (!isRoot()) return undefined
  const accounts = knownAccounts()
  const owner = dataPath === undefined ? undefined : statSync(dataPath, { throwIfNoEntry: false })
  // Someone else's files stay theirs, so a command that root ran once does not lock the usual user out of them.
  if (owner && owner.uid !== 0) {
    const name = accounts.find((account) => account.uid === owner.uid)?.name ?? `uid ${owner.uid}`
    return { name, uid: owner.uid, gid: owner.gid }
  }
  for (const name of preferredNames) {
    const account = accounts.find((candidate) => candidate.name === name && candidate.uid > 0)
    if (account) return account
  }
  throw new Error(
    'PostgreSQL does not run as root, and /etc/passwd has neither a user "postgres" nor "nobody" to run it as: run Noema as an ordinary user, or set NOEMA_DATABASE_URL.',
  )
}

/** Options for `spawn` that make the child run as the account. */
export const runAs = (account: Account | undefined): { uid?: number; gid?: number } =>
  account ? { uid: account.uid, gid: account.gid } : {}

/** Checks whether the account can pass through the folder. */
export function canReach(account: Account | undefined, folder: string): boolean {
  // Asks the system itself: mode bits do not show access lists or the user mapping of a container.
  const probe = spawnSync('/bin/sh', ['-c', 'test -x "$1"', 'sh', folder], {
    ...runAs(account),
    cwd: '/',
    stdio: 'ignore',
  })
  return probe.status === 0
}

/** The topmost folder on the way to `folder` (itself included) that the account cannot pass, if there is one. */
export function firstClosedFolder(account: Account | undefined, folder: string): string | undefined {
  const existing = realpathSync(nearestExisting(folder))
  if (canReach(account, existing)) return undefined
  const way = [existing]
  for (let at = existing; at !== dirname(at); at = dirname(at)) way.unshift(dirname(at))
  return way.find((step) => !canReach(account, step)) ?? existing
}

function nearestExisting(folder: string): string {
  let at = folder
  while (statSync(at, { throwIfNoEntry: false }) === undefined && at !== dirname(at)) at = dirname(at)
  return at
}
