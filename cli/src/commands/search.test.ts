import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { expect, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

const hit = {
  type: 'document',
  id: 'docs/\u001b[2J.md',
  version: 2,
  title: 'Passwords',
  snippet: 'How to reset\na \u001b[31mpassword',
  highlights: [
    { start: 7, end: 12 },
    { start: 20, end: 28 },
  ],
  score: 1.5,
  evidence: 'strong',
  why: [{ reason: 'words', words: ['reset', 'password'] }],
  provenance: { change: 'chg_1', key: 'key_1' },
}
const person = {
  ...hit,
  type: 'record',
  kind: 'person',
  id: 'rec_1',
  version: 1,
  title: 'Ann',
  evidence: 'weak',
  snippet: '',
  highlights: [],
}
const about = { evidence: 'strong', mode: 'hybrid', receipt: 'rcp_1', stateVersion: 3 }
const search = ['search', 'reset', 'my password', '--brain', 'handbook']

test('results are printed by address, with the snippet on one line and no control characters', async () => {
  const { url, requests } = await startScriptedServer([{ data: { results: [hit, person], ...about } }])
  const ended = await runCli([...search, '--mode', 'lexical', '--limit', '3', '--types', 'document,record'], url)
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  expect(ended.stdout.split('\n')).toEqual([
    'strong  docs/\\x1b[2J.md version 2  Passwords',
    '        How to reset a \\x1b[31mpassword',
    'weak    person rec_1 version 1  Ann',
    '        ',
    '',
  ])
  const asked = new URL(requests[0]?.url ?? '', url)
  expect(asked.pathname).toBe('/v1/brains/handbook/search')
  expect(Object.fromEntries(asked.searchParams)).toEqual({
    q: 'reset my password',
    mode: 'lexical',
    limit: '3',
    types: 'document,record',
    consumerId: 'noema-cli',
  })
})

test('--json prints each result unchanged, and the notes on the search on standard error', async () => {
  const { url } = await startScriptedServer([{ data: { results: [hit], ...about } }])
  const ended = await runCli([...search, '--json'], url)
  expect(JSON.parse(ended.stdout)).toEqual(hit)
  expect(JSON.parse(ended.stderr)).toEqual(about)
})

test('an empty result is no failure, and missing parts of a search are reported', async () => {
  const degraded = [{ reason: 'not_yet_embedded', message: '3 passages are not embedded yet.' }]
  const { url } = await startScriptedServer([{ data: { results: [], degraded, ...about, evidence: 'none' } }])
  const ended = await runCli(search, url)
  expect(ended).toMatchObject({ code: 0, stdout: '' })
  expect(ended.stderr).toBe('noema: Nothing was found.\nnoema: 3 passages are not embedded yet.\n')
})

test.each([
  ['strong', [hit], [], ''],
  ['weak', [person], [], 'The evidence is weak: the results may not answer this.'],
  ['none', [{ ...hit, evidence: 'none' }], [], 'Nothing here seems to answer this. These are the nearest results.'],
  ['none', [], ['--min-evidence', 'strong'], 'Nothing here seems to answer this with strong evidence.'],
] as const)('D-50 evidence that is %s is said so plainly', async (evidence, results, options, said) => {
  const { url, requests } = await startScriptedServer([{ data: { ...about, results, evidence } }])
  const ended = await runCli([...search, ...options], url)
  expect(ended).toMatchObject({ code: 0, stderr: said === '' ? '' : `noema: ${said}\n` })
  expect(new URL(requests[0]?.url ?? '', url).searchParams.get('minEvidence')).toBe(options[1] ?? null)
})

test.each([
  ['--min-evidence', 'none'],
  ['--mode', 'fuzzy'],
  ['--limit', 'ten'],
  ['--limit', '0'],
  ['--limit', '101'],
  ['--types', 'document,image'],
])('%s %s is refused before any request', async (option, value) => {
  const { url, requests } = await startScriptedServer([])
  const ended = await runCli([...search, option, value], url)
  expect(ended.code).toBe(2)
  expect(ended.stderr).toContain(option)
  expect(requests).toEqual([])
})
