import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { expect, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

const agent = `agt_${'0'.repeat(26)}`
const done = {
  ...{ id: 'dst_1', state: 'completed', brain: 'harbor', runs: 3, read: 3, found: 2, staged: 1 },
  completedAt: '2026-01-01T00:00:00.000Z',
}
const items = [
  { type: 'lesson', outcome: 'staged', change: 'chg_1', summary: 'The tool dial is called.', flags: ['instructions'] },
  { type: 'skill', outcome: 'known', change: null, summary: 'How runs use dial.', flags: [] },
]

const serve = (end: object = done) => {
  let reads = 0
  return startScriptedServer(({ method, url: path = '' }) => {
    if (method === 'POST') return { data: { distillation: { ...done, completedAt: null, state: 'queued' } } }
    if (path.includes('/v1/agents')) return { data: { agent: { id: agent } } }
    if (path.includes('?')) return { data: { distillations: [done], cursor: 'c', hasMore: false } }
    return { data: { distillation: ++reads === 1 ? end : done, items } }
  })
}

test('DST-12 distill run waits, prints the items and their changes, and fails if the distillation does', async () => {
  const { url, requests } = await serve()
  const ran = await runCli(
    [
      'distill',
      'run',
      '--into',
      'harbor',
      '--agent',
      agent,
      '--outcome',
      'failed',
      '--produce',
      'lesson',
      '--allow-wider',
    ],
    url,
  )
  expect(ran).toEqual({
    code: 0,
    stdout:
      'dst_1  completed  3 of 3 runs read, 2 found, 1 staged\n' +
      '  lesson  staged  chg_1  The tool dial is called.  [instructions]\n' +
      '  skill  known  -  How runs use dial.\n',
    stderr: '',
  })
  expect(JSON.parse(requests.find(({ method }) => method === 'POST')?.body ?? '')).toEqual({
    ...{ from: { agentId: agent, outcome: ['failed'] }, into: { brain: 'harbor' } },
    ...{ produce: ['lesson'], allowWider: true },
  })
  const broken = await serve({ ...done, state: 'failed', failureReason: 'It is gone.' })
  expect(await runCli(['distill', 'run', '--into', 'harbor'], broken.url)).toMatchObject({
    code: 8,
    stderr: 'noema: It is gone.\n',
  })
  expect((await runCli(['distill', 'run'], url)).code).toBe(2)
})

test('DST-12 distill list, show and cancel', async () => {
  const { url } = await serve()
  expect((await runCli(['distill', 'list'], url)).stdout).toBe('dst_1\tcompleted\tharbor\t3\t1\n')
  expect((await runCli(['distill', 'show', 'dst_1'], url)).stdout).toContain('chg_1')
  expect((await runCli(['distill', 'cancel', 'dst_1'], url)).stdout).toContain('dst_1  queued')
})
