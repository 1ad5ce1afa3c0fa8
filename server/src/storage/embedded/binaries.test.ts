import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { installedPackage, prepareBinaries } from './binaries.ts'
import { isRoot, serverAccount } from './run-as.ts'
import { clearPlace, temporaryFolder } from './test-place.ts'

afterEach(clearPlace)

const account = isRoot() ? serverAccount() : undefined

/** A copy of the package as npm leaves it when it does not run install scripts, and the links that it then lacks. */
function packageWithoutLinks(folder: string): { packageDir: string; links: string[] } {
  const packageDir = join(folder, 'package')
  cpSync(installedPackage(), packageDir, { recursive: true, verbatimSymlinks: true })
  const list: { target: string }[] = JSON.parse(readFileSync(join(packageDir, 'native/pg-symlinks.json'), 'utf8'))
  const links = list.map(({ target }) => join(packageDir, target))
  for (const link of links) rmSync(link, { force: true })
  return { packageDir, links }
}

test('missing library links are made, by several processes at once too', async () => {
  const folder = temporaryFolder()
  const { packageDir, links } = packageWithoutLinks(folder)
  const place = { account, cacheDir: join(folder, 'cache') }
  const found = await Promise.all([prepareBinaries(packageDir, place), prepareBinaries(packageDir, place)])
  expect(found.map(({ postgres }) => postgres)).toEqual(Array(2).fill(join(packageDir, 'native/bin/postgres')))
  expect(found[0]?.majorVersion).toBe('18')
  expect(links.every((link) => lstatSync(link).isSymbolicLink())).toBe(true)
})

test.skipIf(!account)(
  'programs out of reach are copied once to where they can be run',
  async () => {
    const folder = temporaryFolder()
    const closed = join(folder, 'closed')
    mkdirSync(closed, { mode: 0o700 })
    const { packageDir } = packageWithoutLinks(closed)
    const cacheDir = join(folder, 'cache')
    const place = { account, cacheDir }
    const found = await Promise.all([prepareBinaries(packageDir, place), prepareBinaries(packageDir, place)])
    expect(found[0]).toEqual(found[1])
    expect(found[0]?.postgres.startsWith(join(cacheDir, 'postgresql-18'))).toBe(true)
    expect(readdirSync(cacheDir)).toHaveLength(1)
  },
  60_000,
)

test.skipIf(!account)(
  'a package that lacks links and is not writable is copied',
  () => {
    const folder = temporaryFolder()
    const { packageDir, links } = packageWithoutLinks(folder)
    const cacheDir = join(folder, 'cache')
    mkdirSync(cacheDir)
    chmodSync(cacheDir, 0o777)
    const script = `import { prepareBinaries } from '${join(import.meta.dirname, 'binaries.ts')}'
    const found = await prepareBinaries('${packageDir}', { account: undefined, cacheDir: '${cacheDir}' })
    process.stdout.write(found.postgres)`
    const nobody = { uid: 65534, gid: 65534 }
    const options = ['--input-type=module-typescript', '-e', script]
    const found = execFileSync(process.execPath, options, { ...nobody, encoding: 'utf8', cwd: import.meta.dirname })
    expect(found.startsWith(cacheDir)).toBe(true)
    expect(links.some((link) => lstatSync(link, { throwIfNoEntry: false }))).toBe(false)
  },
  60_000,
)
