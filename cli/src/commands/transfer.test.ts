import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

const lines = '{"header":{}}\n{"record":{"id":"a"}}\n'
const sha256 = createHash('sha256').update(lines).digest('hex')
const whole = `${lines}{"trailer":{"records":1,"sha256":"${sha256}"}}\n`

const emptyFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'noema-transfer-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

test('D-25 an export goes to standard output, or to a file that appears once it is whole', async () => {
  const { url, requests } = await startScriptedServer(() => ({ status: 200, text: whole }))
  const cwd = await emptyFolder()
  expect(await runCli(['brains', 'export', 'crm', '--history'], url, { cwd })).toMatchObject({
    code: 0,
    stdout: whole,
  })
  const written = await runCli(['brains', 'export', 'crm', '--output', 'crm.ndjson'], url, { cwd })
  expect(written).toMatchObject({ code: 0, stdout: '' })
  expect(await readFile(join(cwd, 'crm.ndjson'), 'utf8')).toBe(whole)
  expect(requests.map(({ url: path }) => path)).toEqual([
    '/v1/brains/crm/export?history=true',
    '/v1/brains/crm/export?history=false',
  ])
})

test.each([lines, whole.replace('"a"', '"b"')])(
  'D-25 an export that is cut or changed leaves no file',
  async (text) => {
    const { url } = await startScriptedServer(() => ({ status: 200, text }))
    const cwd = await emptyFolder()
    const ended = await runCli(['brains', 'export', 'crm', '--output', 'crm.ndjson'], url, { cwd })
    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain('not whole')
    expect(await readdir(cwd)).toEqual([])
  },
)

test('an export into a folder that does not exist says so by the name that was given', async () => {
  const { url } = await startScriptedServer(() => ({ status: 200, text: whole }))
  const cwd = await emptyFolder()
  const ended = await runCli(['brains', 'export', 'crm', '--output', 'no/crm.ndjson'], url, { cwd })
  expect(ended).toMatchObject({ code: 2, stderr: 'noema: The folder of no/crm.ndjson does not exist.\n' })
})

test('D-25 an import sends the lines as they are, and a refusal has its exit code', async () => {
  const imported = { changes: 0, records: 1, statements: 0, documents: 0 }
  const answer = { data: { brain: { handle: 'crm', stateVersion: 3 }, imported } }
  const { url, requests } = await startScriptedServer([
    { status: 404, error: { kind: 'not_found', message: 'There is no such Brain.' } },
    { data: {} },
    answer,
    { status: 409, error: { kind: 'conflict', message: 'This Brain was written to already.' } },
  ])
  const stdin = () => Readable.from([Buffer.from(whole)])
  const done = await runCli(['brains', 'import', 'crm', '-', '--create'], url, { stdin: stdin() })
  expect(done).toMatchObject({ code: 0 })
  expect(done.stderr).toContain('1 records')
  expect(requests.map(({ method, url: path }) => `${method} ${path}`)).toEqual([
    'GET /v1/brains/crm',
    'PUT /v1/brains/crm',
    'POST /v1/brains/crm/import',
  ])
  expect(requests[2]).toMatchObject({ body: whole, headers: { 'content-type': 'application/x-ndjson' } })
  expect((await runCli(['brains', 'import', 'crm', '-'], url, { stdin: stdin() })).code).toBe(5)
  expect((await runCli(['brains', 'import', 'crm', 'none.ndjson'], url)).code).toBe(2)
})

const refused = { status: 400, error: { kind: 'validation', message: 'Line 2: it is not valid.' } }

test.each([
  [
    'was made for it goes again',
    { status: 404, error: { kind: 'not_found', message: 'None.' } },
    ['GET', 'PUT', 'POST', 'DELETE'],
  ],
  ['was there before stays', { data: { brain: {} } }, ['GET', 'POST']],
])('a Brain that %s when a file is refused', async (_what, found, methods) => {
  const rest = methods.length === 4 ? [{ data: {} }, refused, { data: {} }] : [refused]
  const { url, requests } = await startScriptedServer([found, ...rest])
  const stdin = Readable.from([Buffer.from(whole)])
  const ended = await runCli(['brains', 'import', 'crm', '-', '--create'], url, { stdin })
  expect(ended.code).not.toBe(0)
  expect(ended.stderr).toContain('Line 2')
  expect(requests.map(({ method }) => method)).toEqual(methods)
})
