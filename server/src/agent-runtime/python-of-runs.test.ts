import { expect, test } from 'vitest'
import { readConfig } from '../config/config.ts'
import { checkSandbox } from '../doctor/sandbox-checks.ts'
import { useFiles } from '../features/files/artifacts/use-files.fixture.ts'
import { createMember } from '../test/app.ts'
import { trySandbox } from './code/open-sandbox.ts'
import { sandboxSettings, useSandbox } from './code/use-sandbox.fixture.ts'
import { listRunTools } from './tools/list-run-tools.ts'
import { addRun, callRunTool } from './tools/run-tools.fixture.ts'
import { readRequest, useRuns } from './use-runs.fixture.ts'

// Python that runs write, with the files of the organization.

useSandbox()
const runs = useRuns({ NOEMA_EMBEDDINGS: 'off', ...sandboxSettings })
const { app } = runs

const { upload } = useFiles(app)

test('COD-04 an agent runs Python, whose result, output and files are those of its run', async () => {
  await upload(runs.scene.member, 'reports/amounts.csv', { body: 'amount\n1\n2\n39\n' })
  const code = `
import csv, datetime, os, struct, zlib
rows = list(csv.DictReader(open('/files/in/reports/amounts.csv')))
total = sum(int(row['amount']) for row in rows)
print('total', total)
os.makedirs('out')
open('out/total.json', 'w').write('{"total": %d}' % total)
open('pixel.png', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n' + bytes(range(256)))
{'total': total, 'of': input['of'], 'now': datetime.datetime.now(datetime.timezone.utc).isoformat()}`
  const given = { language: 'python', code, input: { of: 3 }, files: ['reports/amounts.csv'] }
  runs.scripted.models.says((request) =>
    readRequest(request).step === 0
      ? { toolCalls: [{ id: 'call_1', name: 'run_code', input: given }] }
      : { text: ['Done.'] },
  )
  const agent = await runs.createAgent({ tools: ['run_code', 'artifact_read', 'artifact_write'] })
  const runId = await runs.start(agent.id)
  expect((await runs.ended(runId)).state).toBe('completed')
  const [call] = (await runs.call('GET', `/v1/runs/${runId}/operations`)).body.data.operations.filter(
    ({ type }: { type: string }) => type === 'tool_call',
  )
  expect(call).toMatchObject({ name: 'run_code', status: 'succeeded' })
  expect(call.output).toEqual({
    result: {
      total: 42,
      of: 3,
      now: call.createdAt.replace(/(\.\d+)?Z$/, (_: string, part = '') => `${part}${part ? '000' : ''}+00:00`),
    },
    output: 'total 42\n',
    files: [
      expect.objectContaining({ path: `runs/${runId}/out/total.json`, contentType: 'application/json', bytes: 13 }),
      expect.objectContaining({ path: `runs/${runId}/pixel.png`, contentType: 'image/png', bytes: 264 }),
    ],
  })
})

const grants = () => [{ brain: runs.scene.brain, access: 'read_only' as const }] as const

test('COD-03 COD-04 a repeated call in Python has the same time, random numbers and files, and reads the files of its beginning', async () => {
  await upload(runs.scene.member, 'a.txt', { body: 'first' })
  const begunAt = app.clock.now()
  const made = await addRun(app, grants(), { tools: ['run_code', 'artifact_read', 'artifact_write'] })
  const code = `
import os, random, secrets, time, uuid
open('drawn.txt', 'w').write(str(uuid.uuid4()) + secrets.token_hex(4))
[time.time(), time.strftime('%Y'), random.random(), os.urandom(4).hex(), hash('x'), open('/files/in/a.txt').read()]`
  const options = { operationId: 'opr_python', begunAt }
  const given = { language: 'python', code, files: ['a.txt'] }
  const first = await callRunTool(app, made, 'run_code', given, options)
  expect(first.output.result[0]).toBe(begunAt.getTime() / 1000)
  app.clock.advance({ seconds: 5 })
  await upload(runs.scene.member, 'a.txt', { body: 'second' })
  expect(await callRunTool(app, made, 'run_code', given, options)).toEqual(first)
  const later = await callRunTool(app, made, 'run_code', given)
  expect(later.output.result.at(-1)).toBe('second')
  const script = { code: `readFile('a.txt') + typeof readFile`, files: ['a.txt'] }
  expect((await callRunTool(app, made, 'run_code', script, options)).output.result).toBe('firstfunction')
})

test('COD-04 code reads the files that its call names, and no others, and none of another organization', async () => {
  const stranger = await createMember(app)
  await upload(stranger, 'theirs.txt', { body: 'theirs' })
  await upload(runs.scene.member, 'large.bin', { body: Buffer.alloc(4 * 1024 * 1024 + 1, 1) })
  const made = await addRun(app, grants(), { tools: ['run_code', 'artifact_read'] })
  const ask = (given: object, run = made) => callRunTool(app, run, 'run_code', given)
  for (const language of ['python', 'javascript']) {
    expect((await ask({ language, code: '1', files: ['theirs.txt'] })).output).toContain('no file')
    expect((await ask({ language, code: '1', files: ['large.bin'] })).output).toContain('at most 4194304')
    expect((await ask({ language, code: '1', files: ['../a'] })).isError).toBe(true)
  }
  expect((await ask({ code: `readFile('a.txt')` })).output.error).toContain('There is no file "a.txt"')
  expect((await ask({ language: 'python', code: `open('made.txt', 'w').write('x')` })).output).toEqual({ result: 1 })
  const writer = await addRun(app, grants(), { tools: ['run_code', 'artifact_write'] })
  expect((await ask({ code: '1', files: ['a.txt'] }, writer)).output).toContain('artifact_read')
  const named = `open('\\x01', 'w').write('x')`
  expect((await ask({ language: 'python', code: named }, writer)).output).toContain('is no path of a file')
})

test('COD-07 without a sandbox there is no Python, and a service that is to have one says what is missing', async () => {
  const made = await addRun(app, grants(), { tools: ['run_code'] })
  const describe = async (sandbox: typeof app.app.deps.sandbox) => {
    const [tool] = (await listRunTools({ ...app.app.deps, sandbox }, made)).filter(({ name }) => name === 'run_code')
    return tool
  }
  expect((await describe(app.app.deps.sandbox))?.description).toContain('Python')
  const without = await describe(undefined)
  expect(`${without?.description} ${JSON.stringify(without?.inputSchema)}`).not.toMatch(/python/i)
  const call = without?.kind === 'call' ? without.call : undefined
  const context = { operationId: 'opr_x', begunAt: new Date(), signal: new AbortController().signal, isLastTry: true }
  const answered = await call?.({ language: 'python', code: '1' }, { ...context, guard: async () => {} })
  expect(answered).toMatchObject({ isError: true, output: expect.stringContaining('JavaScript alone') })
})

test('COD-07 a sandbox that is missing or does not work is said with what to do, by the start and by the doctor', async () => {
  const there = { bubblewraps: ['/usr/bin/bwrap'], pythons: ['/usr/bin/python3'] }
  const settings = { sandbox: 'bwrap', dataDir: undefined } as const
  const none = { bubblewraps: ['/nowhere/bwrap'], pythons: ['/nowhere/python3'] }
  expect(await trySandbox(settings, none)).toEqual({ missing: expect.stringContaining('apt-get install bubblewrap') })
  const noPython = { ...there, pythons: none.pythons }
  expect(await trySandbox(settings, noPython)).toEqual({ missing: expect.stringContaining('apt-get install python3') })
  const broken = { ...there, bubblewraps: ['/bin/false'] }
  expect(await trySandbox(settings, broken)).toEqual({ missing: expect.stringContaining('user namespaces') })
  expect(await trySandbox({ ...settings, sandbox: 'off' })).toBeUndefined()
  const examined = (programs?: typeof there) =>
    checkSandbox({ config: { ...readConfig({}, '/'), ...settings }, env: {}, cwd: '/' }, programs)
  expect(await examined()).toEqual([expect.objectContaining({ status: 'ok', check: 'Sandbox' })])
  expect(await examined(none)).toEqual([
    expect.objectContaining({ status: 'failed', fix: expect.stringContaining('NOEMA_SANDBOX') }),
  ])
  expect(await checkSandbox({ config: readConfig({}, '/'), env: {}, cwd: '/' })).toEqual([])
})
