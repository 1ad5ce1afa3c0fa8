import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { expect, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

const page = {
  ...{ documentId: 'status', agentId: 'agt_1', question: 'Which ships are late?', state: 'staged', change: 'chg_1' },
  ...{ runId: 'run_1', sources: [], setBy: { type: 'key', id: 'key_1' }, updatedAt: '2026-03-01T00:00:00.000Z' },
  rewrites: [
    { change: 'chg_1', runId: 'run_1', reason: 'chg_0 changed the record ada', at: '2026-03-01T00:00:00.000Z' },
  ],
}

const serve = () =>
  startScriptedServer(({ url = '', method }) => {
    if (url.includes('/v1/agents'))
      return { data: { agents: [{ id: 'agt_1', name: 'Librarian' }], cursor: 'c', hasMore: false } }
    if (method === 'DELETE') return { data: { deleted: true } }
    if (url.includes('?')) return { data: { derivedPages: [page], cursor: 'c', hasMore: false } }
    return { data: { derivedPage: page } }
  })

test('DER-09 derived pages are listed, shown with the reasons of their rewrites, set and stopped', async () => {
  const { url, requests } = await serve()
  const brain = ['--brain', 'harbor']
  expect((await runCli(['derived', 'list', ...brain], url)).stdout).toBe(
    'status\tstaged\tchg_1\tWhich ships are late?\n',
  )
  expect((await runCli(['derived', 'show', 'status', ...brain], url)).stdout).toBe(
    'status  staged  chg_1\nAgent agt_1: Which ships are late?\n' +
      '  2026-03-01T00:00:00.000Z  chg_1  chg_0 changed the record ada\n',
  )
  const set = ['derived', 'set', 'status', '--agent', 'Librarian', ...brain]
  expect((await runCli([...set, '--question', 'Who?'], url)).code).toBe(0)
  expect([requests.at(-1)?.method, requests.at(-1)?.url]).toEqual(['PUT', '/v1/brains/harbor/derived-pages/status'])
  expect(JSON.parse(requests.at(-1)?.body ?? '')).toEqual({ agentId: 'agt_1', question: 'Who?' })
  await runCli([...set, '--item', 'record:a:b', 'document:d'], url)
  expect(JSON.parse(requests.at(-1)?.body ?? '').addresses).toEqual([
    { type: 'record', id: 'a:b' },
    { type: 'document', id: 'd' },
  ])
  for (const wrong of [[], ['--question', 'Who?', '--item', 'record:a'], ['--item', 'ship:a']])
    expect((await runCli([...set, ...wrong], url)).code).toBe(2)
  expect((await runCli(['derived', 'stop', 'status', ...brain], url)).code).toBe(2)
  expect((await runCli(['derived', 'stop', 'status', '--yes', ...brain], url)).code).toBe(0)
  expect(requests.at(-1)?.method).toBe('DELETE')
})
