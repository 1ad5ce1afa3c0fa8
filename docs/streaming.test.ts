import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findCommands, useNewcomer } from './readme-shell.ts'

// The commands of the page about streams, unchanged and in order. Only the port differs.

const page = readFileSync(new URL('streaming.md', import.meta.url), 'utf8')
const newcomer = useNewcomer()

const run = async (name: string) => {
  const commands = findCommands(page, name).replaceAll('http://127.0.0.1:4100', newcomer.base)
  const done = await newcomer.shell.run(commands)
  expect(done, done.stderr).toMatchObject({ status: 0 })
  return done.stdout.split('\n').filter((line) => line !== '')
}

test('D-73 a run is read to its end by curl, and gone on with after a part', async () => {
  await newcomer.shell.run('export NOEMA_API_KEY=$(npx noema keys mint)')
  const lines = await run('stream')
  expect(lines.slice(1, 4)).toEqual(['id: 1', expect.stringMatching(/^data: \{"type":"start"/), 'id: 2'])
  expect(lines.join('\n')).toContain('opens at six')
  expect(lines.at(-1)).toBe('data: [DONE]')
  const rest = await run('resume')
  expect(rest.slice(1)).toEqual(lines.slice(lines.indexOf('id: 3')))
})
