import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { afterAll, expect, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'noema-corpora-'))
afterAll(() => rmSync(folder, { recursive: true }))

const times = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' }
const corpus = { name: 'support', parts: [{ brain: 'handbook', types: ['record'] }, { brain: null }], ...times }
const brain = { id: 'brn_1', handle: 'handbook' }
const parts = [{ part: 1, brain, receipt: 'rcp_1', stateVersion: 3 }]
const failed = [{ part: 2, brain: null, kind: 'not_found', message: 'There is no Brain.' }]

test('COR-01 corpora put sends the named Brains, or the parts of a file', async () => {
  const { url, requests } = await startScriptedServer(() => ({ data: { corpus } }))
  expect(await runCli(['corpora', 'put', 'support', 'handbook', 'tickets'], url)).toEqual({
    ...{ code: 0, stderr: '' },
    stdout: 'support\n',
  })
  const file = join(folder, 'parts.json')
  writeFileSync(file, JSON.stringify([{ brain: 'handbook', types: ['record'] }]))
  await runCli(['corpora', 'put', 'support', '--file', file], url)
  expect(requests.map(({ method, url: path, body }) => [method, path, JSON.parse(body)])).toEqual([
    ['PUT', '/v1/corpora/support', { parts: [{ brain: 'handbook' }, { brain: 'tickets' }] }],
    ['PUT', '/v1/corpora/support', { parts: [{ brain: 'handbook', types: ['record'] }] }],
  ])
  expect((await runCli(['corpora', 'put', 'support'], url)).code).toBe(2)
  expect(requests).toHaveLength(2)
})

test('COR-01 corpora list, show and delete', async () => {
  const { url, requests } = await startScriptedServer(({ method, url: path }) => {
    if (method === 'DELETE') return { data: { deleted: true } }
    return { data: path?.includes('?') ? { corpora: [corpus], cursor: 'c', hasMore: false } : { corpus } }
  })
  expect((await runCli(['corpora', 'list'], url)).stdout).toBe('support\thandbook, (gone)\n')
  expect((await runCli(['corpora', 'show', 'support'], url)).stdout).toBe(
    'handbook  types ["record"]\n(no Brain that you can read)\n',
  )
  expect((await runCli(['corpora', 'delete', 'support'], url)).code).toBe(2)
  expect((await runCli(['corpora', 'delete', 'support', '--yes'], url)).code).toBe(0)
  expect(requests.at(-1)).toMatchObject({ method: 'DELETE', url: '/v1/corpora/support' })
})

test('COR-02 COR-05 corpora search prints each result with its Brain, and which parts were left out', async () => {
  const hit = {
    ...{ type: 'document', id: 'reset', version: 2, title: 'Passwords', snippet: 'How to reset it', highlights: [] },
    ...{ score: 1, evidence: 'strong', why: [], provenance: { change: 'chg_1' }, brain },
  }
  const about = { evidence: 'strong', mode: 'hybrid', parts, failed }
  const { url, requests } = await startScriptedServer(() => ({ data: { results: [hit], ...about } }))
  const argv = ['corpora', 'search', 'support', 'reset', 'it', '--limit', '3', '--types', 'document']
  expect(await runCli(argv, url)).toEqual({
    code: 0,
    stdout: 'strong  handbook: reset version 2  Passwords\n        How to reset it\n',
    stderr: 'noema: Part 2 was left out: There is no Brain.\n',
  })
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
    ...{ q: 'reset it', consumerId: 'noema-cli', limit: 3, types: ['document'] },
  })
  const asJson = await runCli([...argv, '--json'], url)
  expect([JSON.parse(asJson.stdout), JSON.parse(asJson.stderr)]).toEqual([hit, about])
})

test('COR-02 corpora context prints Markdown, and the receipt of each Brain', async () => {
  const answer = {
    ...{ context: '# Context', items: [], evidence: 'none', budget: { tokens: 4_000, used: 9, dropped: 0 } },
    ...{ parts, failed },
  }
  const { url } = await startScriptedServer(() => ({ data: answer }))
  const argv = ['corpora', 'context', 'support', 'who leads?']
  expect(await runCli(argv, url)).toEqual({
    ...{ code: 0, stdout: '# Context\n' },
    stderr: 'noema: 0 items, 9 of 4000 tokens, handbook rcp_1.\nnoema: Part 2 was left out: There is no Brain.\n',
  })
  expect(JSON.parse((await runCli([...argv, '--json'], url)).stdout)).toEqual(answer)
})
