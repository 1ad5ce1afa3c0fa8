import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findCommands, useNewcomer } from './readme-shell.ts'

// Follows CONTRIBUTING.md like a newcomer: the files that it names exist, and its commands work.

const root = new URL('../', import.meta.url)
const page = readFileSync(new URL('CONTRIBUTING.md', root), 'utf8')
const hasPsql = spawnSync('psql', ['--version']).status === 0

const newcomer = useNewcomer()

const run = async (command: string) => {
  const done = await newcomer.shell.run(command)
  expect(done, done.stderr).toMatchObject({ status: 0 })
  return done.stdout
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
  const [file = '', one = ''] = findCommands(page, 'one-test').trim().split('\n')
  expect(await run(file)).toMatch(/Test Files .*1 passed/)
  expect(await run(one)).toMatch(/Tests .*\d passed/)
})

test('seeding makes a Brain to look at, and again makes nothing twice', async () => {
  expect(await run('npm run -s seed')).toMatch(/The Brain demo holds .*\n.*nsk_/)
  expect(await run('npm run -s seed')).toMatch(/nsk_/)
  expect(
    await run('npx noema events follow --brain demo --types change.staged --once --api-key "$(npx noema keys mint)"'),
  ).toMatch(/^(?:[^\n]*change\.staged[^\n]*\n){3}$/)
})

test.skipIf(!hasPsql)('psql opens the built-in database while the service runs', async () => {
  expect(await run(findCommands(page, 'psql'))).toMatch(/demo/)
})
