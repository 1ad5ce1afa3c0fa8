import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packFile } from '@noema/contracts/pack-files.ts'
import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { afterAll, expect, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'noema-packs-'))
afterAll(() => rmSync(folder, { recursive: true }))

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
  expect(ran.stderr).toBe('noema: 1 change of the Brain team waits for review.\n')
  expect(requests[0]?.url).toBe('/v1/packs/people-and-conversations/install')
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ brain: 'team', model: 'openai/gpt-5.4' })
  expect(JSON.parse((await runCli([...argv, '--json'], url)).stdout)).toEqual(installed)
})

test('PCK-08 packs push stores a file under its name, and install sends values in the types of the parameters', async () => {
  const file = join(folder, 'desk.pack.json')
  writeFileSync(file, '{"title":"Desk"}')
  const parameters = [
    { name: 'team', type: 'text' },
    { name: 'days', type: 'number' },
    { name: 'strict', type: 'boolean' },
  ]
  const installed = { pack: 'desk', version: 2, brain: { id: 'brn_1', handle: 'desk' }, items: [] }
  const { url, requests } = await startScriptedServer(({ method }) =>
    method === 'POST'
      ? { data: { installed } }
      : { data: { pack: { name: 'desk', version: 2, parameters }, file: {} } },
  )
  expect((await runCli(['packs', 'push', file], url)).stderr).toContain('desk has the version 2')
  expect([requests[0]?.url, requests[0]?.body]).toEqual(['/v1/packs/desk', '{"title":"Desk"}'])
  const set = ['--set', 'team=a=b', '--set', 'days=3', '--set', 'strict=true']
  expect((await runCli(['packs', 'install', 'desk', ...set, '--pack-version', '2'], url)).code).toBe(0)
  expect(JSON.parse(requests.at(-1)?.body ?? '')).toEqual({
    version: 2,
    parameters: { team: 'a=b', days: 3, strict: true },
  })
  expect((await runCli(['packs', 'install', 'desk', '--set', 'odd=1'], url)).code).toBe(2)
  writeFileSync(file, '{')
  expect((await runCli(['packs', 'push', file], url)).code).toBe(2)
})

const brain = { id: 'brn_1', handle: 'desk', name: 'Desk', purpose: 'Questions.' }
const agents = [
  { id: 'agt_1', name: 'Clerk', instructions: 'Answer.', brains: [{ id: 'brn_1', access: 'read_only' }] },
  { id: 'agt_2', name: 'Judge', instructions: 'Judge.', brains: [] },
  { id: 'agt_3', name: 'Stranger', instructions: 'Other.', brains: [{ id: 'brn_2', access: 'read_only' }] },
]
const trigger = { name: 'New', knowledgeGraphId: 'brn_1', agentId: 'agt_1', kindScopes: [{ entityKind: 'question' }] }
const judged = { type: 'rubric', rubric: 'tone', judge: 'agt_2' }
const evals = [
  { id: 'evl_1', name: 'Answers', target: { agentId: 'agt_1' }, graders: [judged, { type: 'contains' }] },
  {
    id: 'evl_2',
    name: 'Found',
    target: { brainId: 'brn_1', brain: 'desk', read: 'search' },
    graders: [{ type: 'found' }, { type: 'not_found', items: [{ type: 'document', id: 'old', brain: 'desk' }] }],
  },
  { id: 'evl_3', name: 'Other', target: { brainId: 'brn_2', brain: 'other', read: 'search' }, graders: [] },
  { id: 'evl_4', name: 'Lost', target: { agentId: 'agt_1' }, graders: [{ ...judged, judge: 'agt_9' }] },
]
const cases = {
  evl_1: [{ id: 'who', input: 'Who?', expected: 'Ada' }],
  evl_2: [{ id: 'tide', input: 'tide', expected: { found: [{ type: 'document', id: 'tide', brain: 'desk' }] } }],
}
const page = { cursor: 'c', hasMore: false }

const serveBrain = () =>
  startScriptedServer(({ url = '', method }) => {
    const path = url.split('?')[0] ?? ''
    const of = /^\/v1\/evals\/(evl_\d)\/cases$/.exec(path)?.[1]
    if (of === 'evl_1' || of === 'evl_2') return { data: { cases: cases[of], ...page } }
    if (method === 'DELETE') return { data: { deleted: true } }
    const answers: Record<string, object> = {
      '/v1/brains/desk': { brain },
      '/v1/brains/desk/schema': { schema: { kinds: [] } },
      '/v1/agents': { agents, ...page },
      '/v1/automations/triggers': {
        triggers: [{ trigger: { ...trigger, expectedOutcome: 'An answer', requiredAccess: 'read_only' } }],
      },
      '/v1/brains/desk/skills': {
        skills: [
          { name: 'tone', problem: null },
          { name: 'broken', problem: 'It has no description.' },
        ],
        ...page,
      },
      '/v1/brains/desk/skills/tone': { skill: { name: 'tone', files: [{ path: 'SKILL.md' }] } },
      '/v1/brains/desk/skills/tone/files/SKILL.md': { file: { path: 'SKILL.md', text: '---\nname: tone\n---\n' } },
      '/v1/evals': { evals, ...page },
      '/v1/rubrics/tone': {
        rubric: {
          name: 'tone',
          version: 2,
          criteria: [{ id: 'kind', text: 'It is kind.', weight: 1, required: false }],
        },
      },
    }
    return { data: answers[path] ?? {} }
  })

test('PCK-13 packs export makes a pack of the agents, triggers, skills, evals, rubrics and judges of a Brain', async () => {
  const { url } = await serveBrain()
  const ran = await runCli(['packs', 'export', '--brain', 'desk'], url)
  expect([ran.code, ran.stderr]).toEqual([0, 'noema: The eval Lost is left out: a judge of it is archived.\n'])
  const pack = packFile.parse(JSON.parse(ran.stdout))
  expect(pack).toMatchObject({ title: 'Desk', purpose: 'Questions.', kinds: [] })
  expect(pack.agents.map(({ name, access }) => [name, access])).toEqual([
    ['Clerk', 'read_only'],
    ['Judge', 'none'],
  ])
  expect(pack.triggers).toMatchObject([{ name: 'New', agent: 'Clerk', entityKinds: ['question'] }])
  expect(pack.skills).toEqual([{ name: 'tone', files: [{ path: 'SKILL.md', text: '---\nname: tone\n---\n' }] }])
  expect(pack.rubrics).toMatchObject([{ name: 'tone', criteria: [{ id: 'kind' }] }])
  expect(pack.evals).toEqual([
    {
      ...{ name: 'Answers', target: { agent: 'Clerk' }, cases: cases.evl_1 },
      graders: [{ ...judged, judge: 'Judge' }, { type: 'contains' }],
    },
    {
      ...{ name: 'Found', target: { read: 'search' } },
      graders: [{ type: 'found' }, { type: 'not_found', items: [{ type: 'document', id: 'old' }] }],
      cases: [{ id: 'tide', input: 'tide', expected: { found: [{ type: 'document', id: 'tide' }] } }],
    },
  ])
  const output = join(folder, 'made.json')
  const written = await runCli(['packs', 'export', '--brain', 'desk', '--output', output], url)
  expect(written.stderr).toContain(`Wrote ${output}: 2 agents, 1 skill, 2 evals.\n`)
  expect(JSON.parse(readFileSync(output, 'utf8'))).toEqual(JSON.parse(ran.stdout))
  // A file that is there is not replaced.
  expect((await runCli(['packs', 'export', '--brain', 'desk', '--output', output], url)).code).not.toBe(0)
})

test('PCK-13 packs delete deletes a pack only after a yes', async () => {
  const { url, requests } = await serveBrain()
  expect((await runCli(['packs', 'delete', 'desk'], url)).code).toBe(2)
  expect(requests).toEqual([])
  expect(await runCli(['packs', 'delete', 'desk', '--yes'], url)).toEqual({ code: 0, stdout: '', stderr: '' })
  expect([requests[0]?.method, requests[0]?.url]).toEqual(['DELETE', '/v1/packs/desk'])
  expect(JSON.parse((await runCli(['packs', 'delete', 'desk', '--yes', '--json'], url)).stdout)).toEqual({
    deleted: true,
  })
})
