import { Readable } from 'node:stream'
import { systemTiming } from '@noema/sdk/timing.ts'
import { useApp, useMember } from '@noema/server/test/harness.ts'
import { beforeAll, expect, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

// Brains, records, documents, changes and keys by the command line, against the service itself.

const app = useApp()
const member = useMember(app)

const cli = (argv: string[], input = '') =>
  runCli(argv, app.base, {
    env: { NOEMA_BASE_URL: app.base, NOEMA_API_KEY: member.key, NOEMA_BRAIN: 'crm' },
    stdin: Readable.from([input]),
    timing: systemTiming,
  })

beforeAll(async () => {
  expect(await cli(['brains', 'create', 'crm', '--name', 'Customers'])).toEqual({
    code: 0,
    stdout: 'crm\n',
    stderr: '',
  })
})

test('a Brain is listed, shown and deleted after a yes', async () => {
  await cli(['brains', 'create', 'old'])
  expect((await cli(['brains', 'list'])).stdout).toBe('crm\tdirect\tactive\t0\tCustomers\nold\tdirect\tactive\t0\t\n')
  const listed = await cli(['brains', 'list', '--json', '--limit', '1'])
  expect(JSON.parse(listed.stdout)).toMatchObject({ handle: 'crm', name: 'Customers' })
  expect((await cli(['brains', 'show', 'old'])).stdout).toContain('0 records, 0 statements, 0 documents')
  expect(await cli(['brains', 'delete', 'old'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
  expect((await cli(['brains', 'delete', 'old', '--yes'])).code).toBe(0)
  expect((await cli(['brains', 'show', 'old'])).code).toBe(4)
})

test('records are written by fields or by a file, changed in part, read at earlier states, and deleted', async () => {
  const put = ['records', 'put', 'ada', '--kind', 'person', '--set', 'name=Ada', '--set', 'born=1815']
  expect(await cli(put)).toEqual({ code: 0, stdout: 'ada\n', stderr: '' })
  const file = { kind: 'person', fields: { name: 'Grace' }, links: [{ predicate: 'knows', to: 'ada' }] }
  expect((await cli(['records', 'put', 'grace', '--file', '-'], JSON.stringify(file))).code).toBe(0)
  expect((await cli(['records', 'patch', 'ada', '--set', 'city=London', '--unset', 'born'])).code).toBe(0)
  const shown = await cli(['records', 'show', 'ada'])
  expect(shown.stdout).toContain('  city: London\n')
  expect(shown.stdout).not.toContain('born')
  expect(JSON.parse((await cli(['records', 'show', 'ada', '--as-of', '1', '--json'])).stdout).fields).toEqual({
    name: 'Ada',
    born: 1815,
  })
  expect((await cli(['records', 'show', 'ada', '--history'])).stdout.split('\n')).toHaveLength(3)
  expect((await cli(['records', 'list', '--links-to', 'ada'])).stdout).toBe('grace\tperson\t\t1\t{"name":"Grace"}\n')
  expect((await cli(['records', 'patch', 'ada', '--set', 'x=1', '--if-match', '1'])).code).toBe(5)
  expect((await cli(['records', 'delete', 'grace'])).code).toBe(0)
  expect((await cli(['records', 'show', 'grace'])).code).toBe(4)
  expect((await cli(['records', 'put', '--set', 'name=x'])).stderr).toContain('--kind')
})

test('documents are written from standard input, printed as they are, and retired', async () => {
  const text = '# Notes\n\nOne line.\n'
  expect(
    (await cli(['documents', 'put', '-', '--id', 'notes', '--title', 'Notes', '--meta', 'by=ada'], text)).code,
  ).toBe(0)
  expect(await cli(['documents', 'show', 'notes'])).toEqual({ code: 0, stdout: text, stderr: '' })
  await cli(['documents', 'put', '-', '--id', 'notes'], 'Two.\n')
  expect((await cli(['documents', 'show', 'notes', '--doc-version', '1'])).stdout).toBe(text)
  expect((await cli(['documents', 'list', '--versions', 'notes'])).stdout.split('\n')).toHaveLength(3)
  expect((await cli(['documents', 'delete', 'notes'])).code).toBe(0)
  expect((await cli(['documents', 'list'])).stdout).toBe('')
  expect((await cli(['documents', 'put', 'no-such-file.md'])).code).toBe(2)
})

test('a change is shown before and after, decided in part, and reverted', async () => {
  await cli(['brains', 'create', 'reviewed', '--mode', 'review'])
  const on = ['--brain', 'reviewed']
  const operations = [
    { op: 'record.put', id: 'a', kind: 'person', fields: { name: 'Ada' } },
    { op: 'record.put', id: 'b', kind: 'person', fields: { name: 'Bob' } },
  ]
  const path = '/v1/brains/reviewed/batch'
  const staged = await app.request('POST', path, { key: member.key, body: { operations } })
  const change: string = staged.body.data.change.id
  expect((await cli(['changes', 'list', ...on])).stdout).toContain(`${change}\tpending\t2\t`)
  expect((await cli(['changes', 'list', '--brain', 'crm'])).stdout).toBe('')
  const shown = await cli(['changes', 'show', change, ...on])
  expect(shown.stdout).toContain('+ record person a')
  expect(shown.stdout).toContain('  + fields.name: Ada\n')
  const compared = await cli(['changes', 'preview', change, ...on, '-q', 'Ada', '-q', 'Nobody'])
  expect(compared).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Ada\n.*\n {2}\+ record a {2}Ada\n/) })
  expect((await cli(['changes', 'comment', change, 'Checked.', ...on])).code).toBe(0)
  expect((await cli(['changes', 'show', change, ...on])).stdout).toContain('Checked.')
  const [item] = JSON.parse((await cli(['changes', 'show', change, ...on, '--json'])).stdout).items
  const approved = await cli(['changes', 'approve', change, ...on, '--items', item.item, '--reason', 'known'])
  expect(approved).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/: applied, state version 1\.\nThe rest .*chg_/s),
  })
  expect((await cli(['records', 'list', ...on])).stdout).toBe('a\tperson\t\t1\t{"name":"Ada"}\n')
  const rest = /chg_\w+\.\n$/.exec(approved.stderr)?.[0].slice(0, -2) ?? ''
  expect(await cli(['changes', 'reject', rest, ...on])).toMatchObject({
    code: 0,
    stderr: `${rest}: rejected, not applied.\n`,
  })
  const applied = approved.stderr.split(':')[0] ?? ''
  const reverted = await cli(['changes', 'revert', applied, ...on])
  expect(reverted).toMatchObject({ code: 0, stderr: expect.stringContaining('waits for review') })
  const both = ['--no-publish', '--publish-at', '2031-01-01T00:00:00Z']
  expect(await cli(['changes', 'approve', reverted.stdout.trim(), ...on, ...both])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('not both'),
  })
  expect((await cli(['changes', 'approve', reverted.stdout.trim(), ...on, '--no-publish'])).stderr).toContain(
    'approved',
  )
  expect((await cli(['changes', 'publish', reverted.stdout.trim(), ...on])).stderr).toContain('applied')
  expect((await cli(['records', 'list', ...on])).stdout).toBe('')
})

test('a key of a Brain is minted with its capabilities, listed, replaced and revoked', async () => {
  const minted = await cli(['keys', 'mint', '--brain', 'crm', '--capabilities', 'read,write', '--name', 'agent'])
  expect(minted).toMatchObject({ code: 0, stdout: expect.stringMatching(/^nbk_\S+\n$/) })
  const [row] = (await cli(['keys', 'list', '--brain', 'crm', '--json'])).stdout.trim().split('\n')
  const { id } = JSON.parse(row ?? '')
  const rotated = await cli(['keys', 'rotate', id, '--brain', 'crm'])
  expect(rotated.stdout).toMatch(/^nbk_\S+\n$/)
  const keys = (await cli(['keys', 'list', '--brain', 'crm'])).stdout
  expect(keys.split('\n')).toHaveLength(3)
  const next = /key_\w+ replaces/.exec(rotated.stderr)?.[0].split(' ')[0] ?? ''
  expect((await cli(['keys', 'revoke', next, '--brain', 'crm'])).stderr).toContain(`Revoked ${next} "agent"`)
  const call = await runCli(['records', 'list', '--brain', 'crm'], '', {
    env: { NOEMA_BASE_URL: app.base, NOEMA_API_KEY: rotated.stdout.trim() },
  })
  expect(call.code).toBe(3)
  expect((await cli(['keys', 'mint', '--brain', 'crm', '--capabilities', 'all'])).code).toBe(2)
})

test('the OpenAPI document is printed as the service gives it, without a key', async () => {
  const printed = await runCli(['openapi'], '', { env: { NOEMA_BASE_URL: app.base } })
  expect(JSON.parse(printed.stdout)).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) })
  expect((await runCli(['openapi', '--base-url', 'http://127.0.0.1:1'], '')).code).toBe(7)
})
