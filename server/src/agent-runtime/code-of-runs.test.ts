import { expect, test } from 'vitest'
import { runIsolatedCode } from './code/run-isolated-code.ts'
import { addRun, callRunTool } from './tools/run-tools.fixture.ts'
import { readRequest, useRuns } from './use-runs.fixture.ts'

// Code that runs write.

const runs = useRuns({ NOEMA_EMBEDDINGS: 'off' })
const { app } = runs
const now = new Date('2026-11-28T12:00:00Z')
const { signal } = new AbortController()

const run = (code: string, { mayWrite = true, input = 'null', seconds = 60 } = {}) =>
  runIsolatedCode({ code, input, files: [], now, mayWrite }, { signal, seconds })

test('COD-01 an agent that lists run_code runs JavaScript, whose result, output and files are those of its run', async () => {
  const code = `
    const sum = input.amounts.reduce((a, b) => a + b, 0)
    console.log('sum', sum, { of: input.amounts.length })
    writeFile('report/sum.csv', 'sum\\n' + sum)
    const today = async () => new Date().toISOString()
    today().then((day) => ({ sum, day }))`.replaceAll('\\\\', '\\')
  runs.scripted.models.says((request) =>
    readRequest(request).step === 0
      ? { toolCalls: [{ id: 'call_1', name: 'run_code', input: { code, input: { amounts: [1, 2, 39] } } }] }
      : { text: ['Done.'] },
  )
  const agent = await runs.createAgent({ tools: ['run_code', 'artifact_write'] })
  const runId = await runs.start(agent.id)
  expect((await runs.ended(runId)).state).toBe('completed')
  const [call] = (await runs.call('GET', `/v1/runs/${runId}/operations`)).body.data.operations.filter(
    ({ type }: { type: string }) => type === 'tool_call',
  )
  expect(call).toMatchObject({ name: 'run_code', status: 'succeeded', toolSourceKind: 'builtin' })
  expect(call.output).toEqual({
    result: { sum: 42, day: call.createdAt },
    output: 'sum 42 {"of":3}\n',
    files: [expect.objectContaining({ path: `runs/${runId}/report/sum.csv`, version: 1 })],
  })
  const without = await runs.createAgent({ tools: [] })
  const other = await runs.start(without.id)
  await runs.ended(other)
  expect(await runs.listOperations(other)).toContainEqual(
    expect.objectContaining({ name: 'run_code', status: 'failed', error: expect.stringContaining('There is no tool') }),
  )
})

test('COD-03 a call that is repeated after a crash has the same time and random numbers, and writes its files once', async () => {
  const grants = [{ brain: runs.scene.brain, access: 'read_only' as const }] as const
  const made = await addRun(app, grants, { tools: ['run_code', 'artifact_write'] })
  const code = `writeFile('a.txt', 'x'); [Date.now(), Math.random()]`
  const options = { operationId: 'opr_repeated', begunAt: now }
  const first = await callRunTool(app, made, 'run_code', { code }, options)
  expect(first.output.result[0]).toBe(now.getTime())
  expect(await callRunTool(app, made, 'run_code', { code }, options)).toEqual(first)
  const bad = await callRunTool(app, made, 'run_code', { code: `writeFile('../a.txt', 'x')` })
  expect(bad).toMatchObject({ isError: true })
  const reader = await addRun(app, grants, { tools: ['run_code'] })
  const refused = await callRunTool(app, reader, 'run_code', { code })
  expect(refused.output.error).toContain('writeFile')
})

test('COD-02 code sees nothing of its process, and is ended beyond its time, memory, depth and answer', async () => {
  const names = await run(
    'Object.getOwnPropertyNames(globalThis).filter((name) => /process|require|fetch|import|Worker|timeout/i.test(name))',
  )
  expect(names).toMatchObject({ result: '[]' })
  const escapes = [
    `console.log.constructor('return process')()`,
    `(async () => {}).constructor('return import("node:fs")')()`,
    `writeFile.constructor.constructor('return globalThis.process.env')()`,
    'this.constructor.constructor("return require")()',
  ]
  const answers = await run(
    `${JSON.stringify(escapes)}.map((text) => { try { return typeof (0, eval)(text) } catch (error) { return error.name } })`,
  )
  expect(JSON.parse(answers.result ?? '')).not.toContain('function')
  expect((await run('while (true) {}', { seconds: 0.2 })).error).toContain('longer than it may')
  expect((await run('const all = []; for (;;) all.push(new ArrayBuffer(1e7))')).error).toContain('memory')
  expect((await run('const f = () => f(); f()')).error).toMatch(/RangeError|InternalError/)
  expect((await run('writeFile("a", "x"); "x".repeat(200000)')).error).toContain('Return less')
  const many = await run('for (let n = 0; n < 2e4; n++) console.log(n); for (let n = 0; ; n++) writeFile("f" + n, "x")')
  expect(many).toMatchObject({ files: [], error: expect.stringContaining('at most 10 files') })
  expect(many.output.length).toBeLessThan(70_000)
  expect((await run('writeFile("a", "x")', { mayWrite: false })).error).toContain('ReferenceError')
})
