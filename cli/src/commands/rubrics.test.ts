import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { afterAll, expect, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'noema-rubrics-'))
afterAll(() => rmSync(folder, { recursive: true }))

const criteria = [{ id: 'sources', text: 'It names its sources.', weight: 2, required: true }]
const rubric = { name: 'sourced', version: 3, criteria, included: false, updatedAt: null }

test('EVL-26 rubrics are listed, shown, stored from a file and deleted after a yes', async () => {
  const { url, requests } = await startScriptedServer(({ url: path = '', method }) => {
    if (method === 'DELETE') return { data: { deleted: true } }
    return path.includes('?') ? { data: { rubrics: [rubric], cursor: 'c', hasMore: false } } : { data: { rubric } }
  })
  expect((await runCli(['rubrics', 'list'], url)).stdout).toBe('sourced\t3\tsources\n')
  const shown = 'sourced  version 3\n  sources  It names its sources.  (weight 2, required)\n'
  expect((await runCli(['rubrics', 'show', 'sourced'], url)).stdout).toBe(shown)
  const file = join(folder, 'sourced.json')
  writeFileSync(file, JSON.stringify(criteria))
  expect((await runCli(['rubrics', 'push', 'sourced', file], url)).stdout).toBe(shown)
  expect([requests.at(-1)?.method, requests.at(-1)?.url]).toEqual(['PUT', '/v1/rubrics/sourced'])
  expect(JSON.parse(requests.at(-1)?.body ?? '')).toEqual({ criteria })
  for (const wrong of ['{', '[]', '[{"id":"Not an id","text":"x"}]']) {
    writeFileSync(file, wrong)
    expect((await runCli(['rubrics', 'push', 'sourced', file], url)).code, wrong).toBe(2)
  }
  expect((await runCli(['rubrics', 'delete', 'sourced'], url)).code).toBe(2)
  expect((await runCli(['rubrics', 'delete', 'sourced', '--yes'], url)).code).toBe(0)
  expect(requests.at(-1)?.method).toBe('DELETE')
})
