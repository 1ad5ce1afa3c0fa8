import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { expect, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

const id = `gol_${'0'.repeat(26)}`
const goal = {
  ...{
    id,
    agentId: 'agt_1',
    objective: 'Say\n42.',
    state: 'blocked',
    attempts: 3,
    bestScore: 0.5,
    budget: { runs: 5 },
  },
  ...{ reason: 'The last 3 attempts made no progress.', taskId: 'tsk_1' },
}
const attempt = {
  ...{ number: 1, runId: 'run_1', state: 'done', passed: false, score: 0.5 },
  grades: [{ grader: 'contains', passed: false, score: 0, reason: 'The answer does not have "42".' }],
}
const shown = `${id}  blocked  3 of 5 attempts  best 0.50
The last 3 attempts made no progress.
Answer its question: noema tasks answer tsk_1 <answer>
`

const serve = () =>
  startScriptedServer(({ url = '' }) => {
    if (url.includes('/attempts')) return { data: { attempts: [attempt], cursor: 'c', hasMore: false } }
    if (url.includes('/v1/agents'))
      return { data: { agents: [{ id: 'agt_1', name: 'Librarian' }], cursor: 'c', hasMore: false } }
    if (url.startsWith('/v1/goals?')) return { data: { goals: [goal], cursor: 'c', hasMore: false } }
    return { data: { goal } }
  })

test('GOL-10 goals are listed, shown with what failed, made, and resumed with advice', async () => {
  const { url, requests } = await serve()
  expect((await runCli(['goals', 'list', '--state', 'blocked'], url)).stdout).toBe(
    `${id}\tblocked\t3 of 5\t0.50\tSay 42.\n`,
  )
  const { stdout } = await runCli(['goals', 'show', id], url)
  expect(stdout).toBe(`${shown}  1  run_1  failed  0.50\n     contains: The answer does not have "42".\n`)
  const made = [
    'goals',
    'create',
    'Say 42.',
    '--agent',
    'Librarian',
    '--contains',
    '42',
    '--runs',
    '5',
    '--cost-cents',
    '90',
  ]
  expect(await runCli(made, url)).toMatchObject({ code: 0, stdout: shown })
  const sent = requests.find(({ method }) => method === 'POST')
  expect(JSON.parse(sent?.body ?? '')).toEqual({
    ...{ agentId: 'agt_1', objective: 'Say 42.', budget: { runs: 5, costCents: 90 } },
    criteria: [{ type: 'contains', values: ['42'] }],
  })
  expect((await runCli(['goals', 'create', 'Say 42.', '--agent', 'Librarian'], url)).code).toBe(2)
  await runCli(['goals', 'resume', id, '--advice', 'Look again.'], url)
  expect(requests.at(-1)).toMatchObject({ url: `/v1/goals/${id}/resume`, body: '{"advice":"Look again."}' })
  expect((await runCli(['goals', 'pause', id], url)).stdout).toBe(shown)
})
