import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { newSecret, unwrap } from '@noema/sdk/webhooks.ts'
import { expect, test } from 'vitest'
import { runCli, sink } from '../test/run-cli.ts'

const staged = (cursor: string) => ({
  ...{ cursor, type: 'change.staged', occurredAt: '2026-03-01T12:00:00.000Z' },
  data: { change: `chg_${cursor}` },
})
const message = (cursor: string) => `id: ${cursor}\nevent: change.staged\ndata: ${JSON.stringify(staged(cursor))}\n\n`
const page = (cursor: string, hasMore: boolean) => ({ data: { events: [], cursor, hasMore } })

const listen = async (given: string[], statuses: number[]) => {
  const service = await startScriptedServer([
    ...(given.includes('--after') ? [] : [page('c0', true), page('c1', false)]),
    { stream: [message('c2'), message('c3')], ending: 'stay' },
  ])
  const all = statuses.length
  const receiver = await startScriptedServer(() => ({ status: statuses.shift() ?? 500, data: {} }))
  const interruption = new AbortController()
  const stdout = sink((text) => {
    if (text.split('\n').length > all) interruption.abort()
  })
  const ended = await runCli(
    ['webhooks', 'listen', '--brain', 'crm', '--forward-to', receiver.url, ...given],
    service.url,
    {
      stdout: stdout.output,
      signal: interruption.signal,
    },
  )
  return {
    ...ended,
    lines: stdout.text().trimEnd().split('\n'),
    service: service.requests,
    received: receiver.requests,
  }
}

test('listen delivers later commits, signed with the secret that it prints', async () => {
  const { code, stderr, lines, received, service } = await listen([], [204, 200])
  expect(code).toBe(130)
  expect(service.at(-1)?.url).toContain('after=c1')
  const secret = /whsec_\S+/.exec(stderr)?.[0] ?? ''
  const deliveries = await Promise.all(
    received.map(({ body, headers }) => unwrap(body, headers as Record<string, string>, secret)),
  )
  expect(deliveries).toEqual([
    { kind: 'brain', webhook: 'whk_local', previousCursor: null, event: staged('c2') },
    { kind: 'brain', webhook: 'whk_local', previousCursor: 'c2', event: staged('c3') },
  ])
  expect(lines[0]).toMatch(/change\.staged\s+chg_c2 {2}-> {2}204 \(\d+ ms\)$/)
})

test('listen tries three times and then continues; --json prints each attempt', async () => {
  const secret = newSecret()
  const { lines, received } = await listen(['--after', 'c1', '--secret', secret, '--json'], [500, 404, 302, 204])
  expect(lines.map((line) => JSON.parse(line)).map(({ cursor, status }) => [cursor, status])).toEqual([
    ['c2', 500],
    ['c2', 404],
    ['c2', 302],
    ['c3', 204],
  ])
  expect(received.map(({ body }) => JSON.parse(body).previousCursor)).toEqual(['c1', 'c1', 'c1', 'c2'])
})

test('a target that is no URL is a usage error', async () => {
  const { url } = await startScriptedServer([])
  expect((await runCli(['webhooks', 'listen', '--brain', 'crm', '--forward-to', 'nowhere'], url)).code).toBe(2)
})
