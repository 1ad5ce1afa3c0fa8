import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { freePort, makePlace, newcomersEnvironment, openShell, startService } from './readme-shell.ts'

// Follows CONTRIBUTING.md as somebody new would: what it names is there, and its commands do what it says.

vi.setConfig({ testTimeout: 120_000 })

const root = new URL('../', import.meta.url)
const page = readFileSync(new URL('CONTRIBUTING.md', root), 'utf8')
const hasPsql = spawnSync('psql', ['--version']).status === 0

let place: string
let service: ReturnType<typeof startService>
let shell: ReturnType<typeof openShell>

beforeAll(async () => {
  place = makePlace()
  const port = await freePort()
  const env = newcomersEnvironment(process.env, {
    NOEMA_DATA_DIR: join(place, 'data'),
    NOEMA_PORT: String(port),
    NOEMA_BASE_URL: `http://127.0.0.1:${port}`,
    TMPDIR: place,
  })
  service = startService(env)
  await service.ready
  shell = openShell(env, place)
}, 120_000)

afterAll(async () => {
  await shell?.close()
  await service?.stop()
  if (place) rmSync(place, { recursive: true, force: true })
}, 120_000)

const run = async (command: string) => {
  const done = await shell.run(command)
  expect(done, done.stderr).toMatchObject({ status: 0 })
  return done.stdout
}

/** The commands of the page that carry this name. */
const commands = (name: string): string => {
  const block = new RegExp(`^\`\`\`sh name=${name}\\n(.*?)^\`\`\`$`, 'ms').exec(page)?.[1]
  if (block === undefined) throw new Error(`CONTRIBUTING.md has no commands named ${name}.`)
  return block
}

test('every file and folder that the page names is there', () => {
  const named = [
    ...page.matchAll(/(?<![\w/])((?:contracts|server|sdk|cli|console|bench|checks|docs|dev)\/[\w./-]*\w\/?)/g),
  ]
    .map(([, path = '']) => path)
    .filter((path) => !path.includes('NNNN'))
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((path) => !existsSync(new URL(path, root)))).toEqual([])
})

test('every npm script that the page names is there', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { scripts: object }
  const named = [...page.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name)
  expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
})

test('one test file runs by its path, and one test by a part of its name', async () => {
  const [file = '', one = ''] = commands('one-test').trim().split('\n')
  expect(await run(file)).toMatch(/Test Files .*1 passed/)
  expect(await run(one)).toMatch(/Tests .*\d passed/)
})

test('seeding makes a Brain to look at, and again makes nothing twice', async () => {
  expect(await run('npm run -s seed')).toMatch(/The Brain demo holds .*\n.*nsk_/)
  expect(await run('npm run -s seed')).toMatch(/nsk_/)
  expect(
    await run('npx noema events tail --brain demo --types change.staged --once --api-key "$(npx noema keys mint)"'),
  ).toMatch(/^(?:[^\n]*change\.staged[^\n]*\n){3}$/)
})

test.skipIf(!hasPsql)('psql opens the built-in database while the service runs', async () => {
  expect(await run(commands('psql'))).toMatch(/demo/)
})
