import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { sandboxSettings } from '../../agent-runtime/code/use-sandbox.fixture.ts'
import { readRequest } from '../../agent-runtime/use-runs.fixture.ts'
import { isAlive } from '../../storage/embedded/processes.ts'
import { addBrain, createRequester } from '../app.ts'
import { useKilledNodes } from './use-killed-nodes.fixture.ts'

// kill -9 of real nodes in requests that do much at once, in steps of callers' own code, and in code that agents write. A caller repeats what got no answer.

const runs = useKilledNodes(sandboxSettings)
const { app, scene, createAgent, query, startNode, passLeases, killAt } = runs

const desk = {
  ...{ title: 'Desk', description: 'Questions.', purpose: 'Answers.' },
  kinds: [{ kind: 'question', description: 'A question', fields: [{ name: 'text', type: 'text' }] }],
  agents: [
    { name: 'Desk one', description: 'Answers.', access: 'read_only', instructions: 'Answer.' },
    { name: 'Desk two', description: 'Answers.', access: 'read_only', instructions: 'Answer.' },
  ],
  sample: [{ op: 'record.put', id: 'first', kind: 'question', fields: { text: 'Who?' } }],
}

/** All processes below one, at any depth. */
const listBelow = (pid: number): number[] => {
  const listed = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const pairs = listed.map((line) => line.trim().split(/\s+/).map(Number))
  const below = (parent: number): number[] => pairs.flatMap(([id = 0, of]) => (of === parent ? [id, ...below(id)] : []))
  return below(pid)
}

const at =
  (node: { base: string }) =>
  (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    createRequester(node.base)(method, path, {
      ...{ key: scene.member.key, headers },
      ...(body === undefined ? {} : { body }),
    })

test('PCK-02 kill -9 while a pack is installed: the repeat completes it, with each agent, kind and content once', async () => {
  expect((await runs.call('PUT', '/v1/packs/desk', desk)).status).toBe(201)
  const body = { brain: 'desk' }
  for (const before of ['insert on agents', 'insert on pack_items', 'insert on changes'])
    await killAt({ before }, (node) => at(node)('POST', '/v1/packs/desk/install', body))
  const node = await startNode()
  const installed = await at(node)('POST', '/v1/packs/desk/install', body)
  expect(installed.status, JSON.stringify(installed.body)).toBe(200)
  const agents = await query(
    `select definition->>'name' as name from agent_versions where definition->>'name' like 'Desk%' order by 1`,
  )
  expect(agents.map(({ name }) => name)).toEqual(['Desk one', 'Desk two'])
  const { changes } = (await app.request('GET', '/v1/brains/desk/changes?decision=pending', { key: scene.member.key }))
    .body.data
  const again = await at(node)('POST', '/v1/packs/desk/install', body)
  expect(again.status).toBe(200)
  const after = await app.request('GET', '/v1/brains/desk/changes?decision=pending', { key: scene.member.key })
  expect(after.body.data.changes).toHaveLength(changes.length)
}, 300_000)

test('BND-03 kill -9 while a bundle is written: none of it is there, and the repeat writes it once', async () => {
  const brain = await addBrain(app, scene.member, 'bundled')
  const files = Array.from({ length: 60 }, (_, number) => ({
    path: `person/p${number}.md`,
    text: `---\ntype: person\ntitle: Person ${number}\n---\n\nNumber ${number}.\n`,
  }))
  await killAt({ before: 'insert on changes' }, (node) => at(node)('POST', '/v1/brains/bundled/bundle', { files }))
  expect((await brain.call('GET', '/changes')).body.data.changes).toEqual([])
  const next = at(await startNode())
  const written = await next('POST', '/v1/brains/bundled/bundle', { files })
  expect(written.body.data.counts, JSON.stringify(written.body)).toMatchObject({ add: 60 })
  const repeated = await next('POST', '/v1/brains/bundled/bundle', { files })
  expect(repeated.body.data.counts).toMatchObject({ add: 0, update: 0 })
  expect((await brain.call('GET', '/changes')).body.data.changes).toHaveLength(1)
}, 300_000)

test('STP-02 STP-03 STP-04 kill -9 while a step is stored and while a flow sleeps: the step is stored once, and the flow wakes', async () => {
  let node = await startNode()
  const started = await at(node)('POST', '/v1/flows', { name: 'import' }, { 'idempotency-key': 'order-1' })
  const { runId } = started.body.data.run
  const path = `/v1/runs/${runId}/steps`
  await node.kill()
  await killAt({ before: 'insert on run_operations' }, (held) => at(held)('PUT', `${path}/load`, { output: 1 }))
  node = await startNode()
  const found = await at(node)('PUT', `${path}/load`, { output: 2 })
  expect(found.body.data.step).toMatchObject({ output: 2 })
  expect((await at(node)('PUT', `${path}/load`, { output: 3 })).body.data.step).toMatchObject({ output: 2 })
  await at(node)('PUT', `${path}/rest`, { sleepUntil: new Date(app.clock.now().getTime() + 1_000).toISOString() })
  await node.kill()
  await passLeases()
  node = await startNode()
  const slept = async () => (await at(node)('GET', `${path}/rest`)).body.data.step
  await expect.poll(async () => (await slept()).completedAt ?? null).not.toBeNull()
  const journal = await query('select name from run_operations where run_id = $1 order by name', [runId])
  expect(journal.map(({ name }) => name)).toEqual(['load', 'rest'])
}, 300_000)

const languages = sandboxSettings.NOEMA_SANDBOX ? (['javascript', 'python'] as const) : (['javascript'] as const)

/** Starts a run of an agent that calls `run_code` once. */
const startCode = async (code: string, language: 'javascript' | 'python'): Promise<string> => {
  const input = { code, ...(language === 'python' ? { language } : {}) }
  runs.scripted.models.says((request) =>
    readRequest(request).step === 0 ? { toolCalls: [{ id: 'call_1', name: 'run_code', input }] } : { text: ['Done.'] },
  )
  return runs.start((await createAgent({ tools: ['run_code', 'artifact_write'] })).id)
}

const readCalls = async (runId: string) => (await runs.listOperations(runId)).filter(({ type }) => type === 'tool_call')
const listFiles = async (runId: string) =>
  (await runs.call('GET', `/v1/artifacts?prefix=runs/${runId}/`)).body.data.artifacts

test('COD-03 kill -9 while code runs: its processes end, and the repeat runs it again', async () => {
  const endless = { javascript: 'for (;;) {}', python: 'while True: pass' }
  for (const language of languages) {
    const node = await startNode()
    const runId = await startCode(endless[language], language)
    const children = () => listBelow(node.pid)
    const isCalling = async () => (await readCalls(runId)).some(({ status }) => status === 'running')
    await expect.poll(async () => (await isCalling()) && children().length > 0).toBe(true)
    const left = children()
    await node.kill()
    await expect.poll(() => left.filter(isAlive)).toEqual([])
    await passLeases()
    const next = await startNode()
    expect(await runs.ended(runId)).toMatchObject({ state: 'completed' })
    expect(await readCalls(runId)).toMatchObject([{ status: 'failed', attempt: 2 }])
    expect(await listFiles(runId)).toEqual([])
    await next.kill()
  }
}, 300_000)

test('COD-06 kill -9 while the files of code are stored: the repeat stores each once', async () => {
  const writing = { javascript: `writeFile('made.txt', '42'); 42`, python: `open('made.txt', 'w').write('42')\n42` }
  for (const language of languages) {
    let runId = ''
    await killAt({ before: 'insert on artifacts' }, async () => {
      runId = await startCode(writing[language], language)
    })
    const next = await startNode()
    expect(await runs.ended(runId)).toMatchObject({ state: 'completed' })
    expect(await readCalls(runId)).toMatchObject([{ status: 'succeeded', attempt: 2 }])
    expect(await listFiles(runId)).toMatchObject([{ path: `runs/${runId}/made.txt`, version: 1 }])
    await next.kill()
  }
}, 300_000)
