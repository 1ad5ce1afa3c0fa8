import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { expect, test } from 'vitest'
import { runCli, sink } from '../test/run-cli.ts'

const at = '2026-03-01T12:00:00.000Z'
const record = { id: 'rec_1', kind: 'person' }
const staged = (cursor: string) => ({
  cursor,
  type: 'change.staged',
  occurredAt: at,
  data: { change: `chg_${cursor}` },
})
const message = (cursor: string) => `id: ${cursor}\nevent: change.staged\ndata: ${JSON.stringify(staged(cursor))}\n\n`

const tail = ['events', 'follow', '--brain', 'crm']

test('--once prints every page as lines of time, type and address, then the cursor to continue from', async () => {
  const events = [
    {
      cursor: 'c1',
      type: 'record.accepted',
      occurredAt: at,
      data: { record, operation: 'created', fields: [], links: [], change: 'chg_1' },
    },
    {
      cursor: 'c2',
      type: 'document.served',
      occurredAt: at,
      data: { document: { id: 'docs/\u001b[2J.md' }, version: 1, change: 'chg_2' },
    },
    { cursor: 'c3', type: 'availability.changed', occurredAt: at, data: { from: 'active', to: 'held' } },
  ]
  const { url, requests } = await startScriptedServer([
    { data: { events: events.slice(0, 2), cursor: 'c2', hasMore: true } },
    { data: { events: events.slice(2), cursor: 'c9', hasMore: false } },
  ])
  const ended = await runCli([...tail, '--once', '--after', 'c0', '--types', 'record.accepted, document.served'], url)
  expect(ended.code).toBe(0)
  expect(ended.stdout.split('\n')).toEqual([
    `${at}  record.accepted      person rec_1`,
    `${at}  document.served      docs/\\x1b[2J.md`,
    `${at}  availability.changed  active -> held`,
    '',
  ])
  expect(ended.stderr).toBe('Continue with --after c9\n')
  expect(requests.map(({ url: seen }) => new URL(seen, url).searchParams.get('after'))).toEqual(['c0', 'c2'])
})

test('--json prints each event exactly as it came, one a line', async () => {
  const events = [{ ...staged('c1'), extra: { kept: true } }, staged('c2')]
  const { url } = await startScriptedServer([{ data: { events, cursor: 'c2', hasMore: false } }])
  const ended = await runCli([...tail, '--once', '--json'], url)
  expect(
    ended.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(events)
  expect(JSON.parse(ended.stderr)).toEqual({ cursor: 'c2' })
})

test('the tail continues over a lost connection until Ctrl-C, exits 130 and prints the cursor', async () => {
  const { url, requests } = await startScriptedServer([
    { stream: [message('c1'), message('c2').slice(0, 30)], ending: 'break' },
    { stream: [message('c2')], ending: 'stay' },
  ])
  const interruption = new AbortController()
  const stdout = sink((text) => {
    if (text.includes('chg_c2')) interruption.abort()
  })
  const ended = await runCli(tail, url, { stdout: stdout.output, signal: interruption.signal })
  expect(ended.code).toBe(130)
  expect(stdout.text().trimEnd().split('\n')).toHaveLength(2)
  expect(ended.stderr).toContain('event stream lost, connecting again')
  expect(ended.stderr).toMatch(/Continue with --after c2\n$/)
  expect(requests[1]?.headers['last-event-id']).toBe('c1')
})

test('an unknown event type is a usage error, and the service gets no request', async () => {
  const { url, requests } = await startScriptedServer([])
  const ended = await runCli([...tail, '--types', 'record.made'], url)
  expect(ended.code).toBe(2)
  expect(ended.stderr).toContain('"record.made"')
  expect(requests).toEqual([])
})

test('a cursor from before the Brain was recreated ends the tail with exit code 5', async () => {
  const { url } = await startScriptedServer([
    { status: 409, error: { kind: 'conflict', message: 'The Brain was recreated.' } },
  ])
  expect((await runCli([...tail, '--after', 'old'], url)).code).toBe(5)
})
