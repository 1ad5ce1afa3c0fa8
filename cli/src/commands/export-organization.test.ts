import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

const own = '{"organization":{"id":"o"}}\n{"member":{"userId":"u"}}\n'
const toBrain = (handle: string) =>
  `{"header":{"name":"${handle}"}}\n{"record":{"id":"a","text":"{\\"end\\":1}"}}\n{"trailer":{"records":1}}\n`
const named = (handle: string) => `{"brainExport":{"id":"brn","handle":"${handle}"}}\n`
const end = '{"end":{"lines":11,"brains":2}}\n'
const whole = `${own}${named('one')}${toBrain('one')}${named('two')}${toBrain('two')}${end}`

const emptyFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'noema-organization-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

test('END-08 an organization is written to a folder: one file for itself, and one per Brain that an import accepts', async () => {
  const { url, requests } = await startScriptedServer(() => ({ status: 200, text: whole }))
  const cwd = await emptyFolder()
  const done = await runCli(['organizations', 'export', 'kept', '--history'], url, { cwd })
  expect(done).toMatchObject({ code: 0, stderr: 'Exported the organization with 2 Brains to kept.\n' })
  expect(requests.map(({ url: path }) => path)).toEqual(['/v1/organization/export?history=true'])
  expect(await readFile(join(cwd, 'kept/organization.ndjson'), 'utf8')).toBe(
    `${own}${named('one')}${named('two')}${end}`,
  )
  for (const handle of ['one', 'two'])
    expect(await readFile(join(cwd, `kept/brains/${handle}.ndjson`), 'utf8')).toBe(toBrain(handle))
})

test('END-08 an export that is cut leaves no folder, and one that exists is kept as it is', async () => {
  const cwd = await emptyFolder()
  const cut = await startScriptedServer(() => ({ status: 200, text: whole.slice(0, -end.length) }))
  const ended = await runCli(['organizations', 'export', 'kept'], cut.url, { cwd })
  expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('not whole')])
  expect(await readdir(cwd)).toEqual([])
  await mkdir(join(cwd, 'kept/mine'), { recursive: true })
  const { url } = await startScriptedServer(() => ({ status: 200, text: whole }))
  const refused = await runCli(['organizations', 'export', 'kept'], url, { cwd })
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('exists already')])
  expect(await readdir(cwd)).toEqual(['kept'])
})
