import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { expect, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

test('packs list says what each pack is for', async () => {
  const packs = [{ name: 'research-notes', title: 'Research notes', description: 'Sources and findings.' }]
  const { url } = await startScriptedServer(() => ({ data: { packs } }))
  expect(await runCli(['packs', 'list'], url)).toEqual({
    ...{ code: 0, stderr: '' },
    stdout: 'research-notes\tSources and findings.\n',
  })
})

test('packs install prints the result for each object, and the changes that wait for review', async () => {
  const items = [
    { type: 'agent', name: 'Reader', outcome: 'created', id: 'agt_1' },
    { type: 'schema', name: 'person', outcome: 'staged', change: 'chg_1' },
    { type: 'trigger', name: 'New documents', outcome: 'present', id: 'trg_1' },
  ]
  const installed = { pack: 'people-and-conversations', brain: { id: 'brn_1', handle: 'team' }, items }
  const { url, requests } = await startScriptedServer(() => ({ data: { installed } }))
  const argv = ['packs', 'install', 'people-and-conversations', '--brain', 'team']
  const ran = await runCli([...argv, '--model', 'openai/gpt-5.4'], url)
  expect(ran.stdout.split('\n')).toEqual([
    'created  agent    Reader  agt_1',
    'staged   schema   person  chg_1',
    'present  trigger  New documents  trg_1',
    '',
  ])
  expect(ran.stderr).toBe('noema: 1 changes of the Brain team wait for review.\n')
  expect(requests[0]?.url).toBe('/v1/packs/people-and-conversations/install')
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ brain: 'team', model: 'openai/gpt-5.4' })
  expect(JSON.parse((await runCli([...argv, '--json'], url)).stdout)).toEqual(installed)
})
