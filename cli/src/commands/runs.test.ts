import { type SeenRequest, startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { expect, test } from 'vitest'
import { runCli, sink } from '../test/run-cli.ts'

const agentId = `agt_${'0'.repeat(26)}`
const agent = { id: agentId, name: 'Librarian', version: 1, model: 'noema/extractive' }
const usage = { inputTokens: 12, outputTokens: 3, costCents: 2 }
const run = {
  runId: 'run_1',
  state: 'queued',
  agentId,
  createdAt: '2026-03-01T12:00:00.000Z',
  usage,
  completedAt: null,
}
const ended = { ...run, state: 'completed', completedAt: '2026-03-01T12:00:01.000Z' }
const failed = { ...ended, state: 'failed', failureCategory: 'limit', failureReason: 'It took all its steps.' }
const task = { taskId: 'tsk_1', runId: 'run_1', state: 'open', question: 'Which one?', options: ['red', 'blue'] }

const part = (id: number, value: object) => `id: ${id}\ndata: ${JSON.stringify(value)}\n\n`
const delta = (id: number, text: string) => part(id, { type: 'text-delta', id: 'opr_1:0', delta: text })
const done = 'data: [DONE]\n\n'
const toolParts = [
  part(1, {
    type: 'tool-input-available',
    toolCallId: 'opr_0',
    toolName: 'knowledge_search',
    input: { query: 'Apollo' },
  }),
  part(2, { type: 'tool-output-available', toolCallId: 'opr_0', output: {} }),
]
const taskPart = (id: number, state: string) =>
  part(id, { type: 'data-task', id: 'tsk_1', data: { taskId: 'tsk_1', operationId: 'opr_2', state } })

type Service = { stream?: string[]; end?: object; answered?: (body: string) => void }

/** A service with one agent, one run and one task. */
const startService = ({ stream = [], end = ended, answered = () => undefined }: Service = {}) =>
  startScriptedServer(({ method, url, body }: SeenRequest) => {
    const [path] = url.split('?')
    if (path === '/v1/agents') return { data: { agents: [agent], cursor: 'c', hasMore: false } }
    if (path === `/v1/agents/${agentId}`) return { data: { agent } }
    if (path === '/v1/runs' && method === 'POST') return { status: 202, data: { run } }
    if (path === '/v1/runs') return { data: { runs: [ended, run], cursor: 'c', hasMore: true } }
    if (path === '/v1/runs/run_1/stream') return { stream: [...stream, done] }
    if (path === '/v1/runs/run_1/messages')
      return { data: { messages: [{ text: 'Ada does.' }], cursor: 'c', hasMore: false } }
    if (path === '/v1/runs/run_1/cancel') return { data: { run: { ...ended, state: 'abandoned' } } }
    if (path === '/v1/runs/run_1') return { data: { run: end } }
    if (path === '/v1/tasks') return { data: { tasks: [task], cursor: 'c', hasMore: false } }
    if (path === '/v1/tasks/tsk_1') return { data: { task } }
    answered(body)
    return { data: { task: { ...task, state: 'completed', answer: 'blue' } } }
  })

test('runs start prints the run, of an agent by its name or its id', async () => {
  const { url, requests } = await startService()
  const line = `run_1  queued     ${agentId}  2026-03-01T12:00:00.000Z\n`
  const byName = await runCli(['runs', 'start', 'Librarian', 'Who?', '--conversation', 'cnv_1', '--key', 'once'], url)
  expect(byName).toEqual({ code: 0, stdout: line, stderr: '' })
  const posted = requests.find(({ method }) => method === 'POST')
  expect(JSON.parse(posted?.body ?? '')).toEqual({ agentId, input: 'Who?', conversationId: 'cnv_1' })
  expect(posted?.headers['idempotency-key']).toBe('once')
  const byId = await runCli(['runs', 'start', agentId, 'Who?', '--json'], url)
  expect(JSON.parse(byId.stdout)).toEqual(run)
})

test('runs start --wait prints the answer when the run has finished, and its usage', async () => {
  const { url } = await startService()
  const ran = await runCli(['runs', 'start', 'Librarian', 'Who leads Apollo?', '--wait'], url)
  expect(ran).toMatchObject({ code: 0, stdout: 'Ada does.\n' })
  expect(ran.stderr).toBe('run_1: 12 tokens read and 3 written, for 0.02 USD\n')
})

test('a run that failed exits 8 and says why', async () => {
  const { url } = await startService({ end: failed })
  for (const more of [
    ['start', 'Librarian', 'Who?', '--wait'],
    ['watch', 'run_1'],
  ]) {
    const ran = await runCli(['runs', ...more], url)
    expect(ran).toEqual({ code: 8, stdout: '', stderr: 'noema: The run failed (limit): It took all its steps.\n' })
  }
  expect((await runCli(['runs', 'start', 'Librarian', 'Who?', '--wait', '--json'], url)).code).toBe(8)
})

test('runs watch writes the text as it arrives, and tool calls to standard error, without control characters', async () => {
  const stream = [...toolParts, delta(3, 'Ada \u001b[2J'), delta(4, 'does.\nYes.')]
  const { url } = await startService({ stream })
  const watched = await runCli(['runs', 'follow', 'run_1'], url)
  expect(watched).toEqual({
    code: 0,
    stdout: 'Ada \\x1b[2Jdoes.\nYes.\n',
    stderr: '> knowledge_search {"query":"Apollo"}\n< knowledge_search\n',
  })
})

test('runs watch --json prints each part of the stream on a line', async () => {
  const { url } = await startService({ stream: [delta(1, 'Hi')] })
  const watched = await runCli(['runs', 'start', 'Librarian', 'Hi', '--follow', '--json'], url)
  expect(watched).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(watched.stdout)).toEqual({ type: 'text-delta', id: 'opr_1:0', delta: 'Hi' })
})

test('the terminal asks a question of the run, and the number of an option selects it', async () => {
  const { promise: answered, resolve } = Promise.withResolvers<string>()
  const { url } = await startService({ stream: [taskPart(1, 'open')], answered: resolve })
  const watched = await runCli(['runs', 'follow', 'run_1'], url, { prompt: async () => ' 2 ' })
  expect(watched.stderr).toBe('? Which one?\n  1. red\n  2. blue\n')
  expect(JSON.parse(await answered)).toEqual({ answer: 'blue' })
})

test('a question that someone else answered is withdrawn', async () => {
  const { url, requests } = await startService({ stream: [taskPart(1, 'open'), taskPart(2, 'completed')] })
  let over: AbortSignal | undefined
  const prompt = (_: string, signal?: AbortSignal) =>
    new Promise<undefined>((resolve) => {
      over = signal
      signal?.addEventListener('abort', () => resolve(undefined))
    })
  expect(await runCli(['runs', 'follow', 'run_1'], url, { prompt })).toMatchObject({ code: 0 })
  expect(over?.aborted).toBe(true)
  expect(requests.filter(({ method }) => method === 'POST')).toEqual([])
})

test('without a terminal runs watch says how a question is answered', async () => {
  const { url } = await startService({ stream: [taskPart(1, 'open')] })
  const { stderr } = await runCli(['runs', 'follow', 'run_1'], url)
  expect(stderr).toContain("Answer with: noema tasks answer tsk_1 '<answer>'")
})

test('Ctrl-C stops watching and says that the run continues', async () => {
  const { url, requests } = await startScriptedServer(() => ({ stream: [delta(1, 'A')], ending: 'stay' }))
  const interruption = new AbortController()
  const stdout = sink(() => interruption.abort())
  const watched = await runCli(['runs', 'follow', 'run_1'], url, { stdout: stdout.output, signal: interruption.signal })
  expect(watched).toMatchObject({ code: 130, stderr: 'The run continues. Watch it again: noema runs follow run_1\n' })
  expect(requests).toHaveLength(1)
})

test('runs list, show and cancel', async () => {
  const { url, requests } = await startService()
  const listed = await runCli(['runs', 'list', '--agent', 'Librarian', '--state', 'completed', '--limit', '2'], url)
  expect(listed.stdout.split('\n')).toHaveLength(3)
  expect(requests.at(-1)?.url).toBe(`/v1/runs?agentId=${agentId}&state=completed&order=desc&limit=2`)
  expect(await runCli(['runs', 'show', 'run_1'], url)).toMatchObject({ code: 0, stdout: 'Ada does.\n' })
  const cancelled = await runCli(['runs', 'cancel', 'run_1', '--reason', 'Enough.'], url)
  expect(cancelled.stdout).toContain('abandoned')
  expect(JSON.parse(requests.at(-1)?.body ?? '')).toEqual({ reason: 'Enough.' })
})

test('tasks list shows open tasks, and tasks answer completes one', async () => {
  const { url, requests } = await startService()
  const listed = await runCli(['tasks', 'list', '--run', 'run_1'], url)
  expect(listed.stdout).toBe('tsk_1\trun_1\tWhich one? (red, blue)\t\n')
  expect(requests[0]?.url).toBe('/v1/tasks?state=open&runId=run_1&limit=500')
  const answered = await runCli(['tasks', 'answer', 'tsk_1', 'blue'], url)
  expect(answered.stdout).toBe('tsk_1  run_1  Which one? (red, blue) -> blue\n')
})

test.each([
  [['runs', 'start', 'Librarian', 'Hi', '--wait', '--follow'], 'not both'],
  [['runs', 'list', '--limit', '0'], '--limit'],
  [['runs', 'list', '--state', 'lost'], '--state'],
  [['tasks', 'answer', 'tsk_1'], 'answer'],
])('%j is a usage error', async (argv, said) => {
  const { url } = await startService()
  const ran = await runCli(argv, url)
  expect(ran).toMatchObject({ code: 2, stdout: '' })
  expect(ran.stderr).toContain(said)
})

test('an unknown agent is not found, by its name or by its id', async () => {
  const { url } = await startService()
  for (const argv of [
    ['runs', 'start', 'Nobody', 'Hi'],
    ['agents', 'show', 'Nobody'],
  ])
    expect(await runCli(argv, url)).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining('No agent is named'),
    })
})

test('runs answer answers the question of a run, by the number of a proposed answer or in words', async () => {
  const answers: string[] = []
  const { url } = await startService({ answered: (body) => answers.push(JSON.parse(body).answer) })
  expect((await runCli(['runs', 'answer', 'run_1', '2'], url)).code).toBe(0)
  expect((await runCli(['runs', 'answer', 'tsk_1', 'green'], url)).code).toBe(0)
  expect(answers).toEqual(['blue', 'green'])
})
