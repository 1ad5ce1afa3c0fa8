import { Writable } from 'node:stream'
import { closedUrl, type ScriptedAnswer, startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { expect, test } from 'vitest'
import { runCli } from './test/run-cli.ts'

const tail = ['events', 'follow', '--brain', 'crm', '--once']
const failing = (status: number, kind: string): ScriptedAnswer => ({
  status,
  error: { kind, message: `It is ${kind}.` },
})

test.each([
  [401, 'unauthorized', 3],
  [403, 'forbidden', 3],
  [404, 'not_found', 4],
  [409, 'conflict', 5],
  [400, 'validation', 6],
  [429, 'rate_limited', 7],
  [503, 'unavailable', 7],
  [500, 'internal', 1],
])('an answer of %i %s exits %i and says why on standard error', async (status, kind, code) => {
  const { url } = await startScriptedServer(() => failing(status, kind))
  const ended = await runCli(tail, url)
  expect(ended).toMatchObject({ code, stdout: '' })
  expect(ended.stderr).toContain(`noema: It is ${kind}.`)
  expect(ended.stderr).toContain('request id req_1')
})

test('under --json an error is the envelope of the API with the request id, alone on standard error', async () => {
  const details = [{ path: 'query.after', message: 'Not a cursor.' }]
  const error = { kind: 'validation', message: 'No.', code: 'bad_cursor', details }
  const { url } = await startScriptedServer([{ status: 400, error }])
  const { stderr, stdout } = await runCli([...tail, '--json'], url)
  expect(JSON.parse(stderr)).toEqual({ error, requestId: 'req_1' })
  expect(stdout).toBe('')
})

test('a service that cannot be reached exits 7', async () => {
  const { code, stderr } = await runCli(tail, await closedUrl())
  expect(code).toBe(7)
  expect(stderr).toContain('ECONNREFUSED')
})

test.each(['notaurl', 'ftp://127.0.0.1', 'http://'])('%s is no address of a service: exit code 2', async (address) => {
  const ended = await runCli([...tail, '--base-url', address], '')
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toContain('--base-url')
})

test('without a key a command exits 3 and says how to get one', async () => {
  const ended = await runCli(tail, '', { env: {} })
  expect(ended).toMatchObject({ code: 3, stdout: '' })
  expect(ended.stderr).toContain('run `noema login`, or set NOEMA_API_KEY or run `noema keys mint`')
})

test('--api-key and --base-url win over the environment', async () => {
  const { url, requests } = await startScriptedServer([{ data: { events: [], cursor: 'c', hasMore: false } }])
  const argv = [...tail, '--api-key', 'nbk_mine', '--base-url', url]
  expect((await runCli(argv, await closedUrl())).code).toBe(0)
  expect(requests[0]?.headers.authorization).toBe('Bearer nbk_mine')
})

test.each([
  [['events', 'follow']],
  [['sync']],
  [['nonsense']],
  [['events', 'follow', '--brain', 'x', '--nope']],
  [['keys']],
  [[]],
])('a wrong command line (%j) exits 2 and writes nothing to standard output', async (argv) => {
  const ended = await runCli(argv, '')
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).not.toBe('')
})

test('a wrong command line with --json is reported in the envelope', async () => {
  const { code, stderr } = await runCli(['events', 'follow', '--json'], '')
  expect(code).toBe(2)
  expect(JSON.parse(stderr)).toMatchObject({ error: { kind: 'validation' }, requestId: null })
})

test('--help and --version go to standard output and exit 0', async () => {
  const help = await runCli(['sync', '--help'], '')
  expect(help).toMatchObject({ code: 0, stderr: '' })
  expect(help.stdout).toContain('noema sync ./docs --brain handbook --create')
  expect(await runCli(['--version'], '')).toMatchObject({ code: 0, stdout: '0.1.0\n', stderr: '' })
})

test('a reader that went away (| head) ends the command quietly', async () => {
  const event = {
    cursor: 'c1',
    type: 'change.staged',
    occurredAt: '2026-03-01T12:00:00.000Z',
    data: { change: 'chg_1' },
  }
  const { url } = await startScriptedServer(() => ({ data: { events: [event], cursor: 'c1', hasMore: false } }))
  const gone = new Writable({ write: (_, __, done) => done(Object.assign(new Error('gone'), { code: 'EPIPE' })) })
  gone.on('error', () => undefined)
  expect(await runCli(tail, url, { stdout: gone })).toMatchObject({ code: 0, stderr: '' })
})

test('serve starts the server in this process', async () => {
  let started = 0
  const loadServer = async () => ({
    main: async () => {
      started++
    },
  })
  expect(await runCli(['serve'], '', { loadServer })).toMatchObject({ code: 0, stdout: '', stderr: '' })
  expect(started).toBe(1)
})
