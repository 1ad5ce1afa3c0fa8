import { Readable } from 'node:stream'
import { createClient } from '@noema/sdk'
import { systemTiming } from '@noema/sdk/timing.ts'
import { addBrain } from '@noema/server/test/app.ts'
import { useApp, useMember } from '@noema/server/test/harness.ts'
import { beforeAll, expect, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

// The command line and the SDK against the service itself, with the model that is built in.

const app = useApp()
const member = useMember(app)

const cli = (argv: string[], input = '') =>
  runCli(argv, app.base, {
    env: { NOEMA_BASE_URL: app.base, NOEMA_API_KEY: member.key },
    stdin: Readable.from([input]),
    timing: systemTiming,
  })

let agentId: string
beforeAll(async () => {
  const brain = await addBrain(app, member, 'docs')
  await brain.call('POST', '/documents', { id: 'apollo', title: 'Apollo', text: 'Ada leads Apollo since 2021.' })
  const definition = {
    ...{ name: 'Librarian', instructions: 'Answer from the Brain.', model: 'noema/extractive' },
    brains: [{ handle: 'docs', access: 'read_only' }],
  }
  const created = await cli(['agents', 'create', '--file', '-'], JSON.stringify(definition))
  agentId = created.stdout.trim()
})

test('an agent is started by its name, waited for, and answers', async () => {
  const ran = await cli(['runs', 'start', 'Librarian', 'Who leads Apollo?', '--wait'])
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('Ada leads Apollo') })
  expect(ran.stderr).toMatch(/^run_\w+: \d+ tokens read/)
})

test('a run is watched as it happens, and shown again afterwards', async () => {
  const ran = await cli(['runs', 'start', agentId, 'Who leads Apollo?', '--follow'])
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('Ada leads Apollo') })
  expect(ran.stderr).toContain('> knowledge_context {"query":"Who leads Apollo?"}\n< knowledge_context\n')
  const [newest] = (await cli(['runs', 'list', '--limit', '1'])).stdout.split('\t')
  const again = await cli(['runs', 'follow', newest ?? ''])
  expect(again).toEqual(ran)
  expect(await cli(['runs', 'show', newest ?? ''])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Ada leads Apollo'),
  })
  expect(await cli(['runs', 'cancel', newest ?? ''])).toMatchObject({ code: 5, stdout: '' })
})

test('SHR-05 a run is shared by a link, which is listed and revoked', async () => {
  const ran = await cli(['runs', 'start', 'Librarian', 'Who leads Apollo?', '--wait', '--json'])
  const { runId } = JSON.parse(ran.stdout)
  const shared = await cli(['runs', 'share', runId, '--days', '2', '--include', 'input'])
  expect(shared).toMatchObject({ code: 0, stderr: expect.stringMatching(/^It works until /) })
  const path = new URL(shared.stdout.trim()).pathname
  const open = async () => (await fetch(app.base + path)).status
  expect(await open()).toBe(200)
  const listed = await cli(['runs', 'links', runId])
  const [link = '', of, views] = listed.stdout.split('\t')
  expect([of, views]).toEqual([runId, '1'])
  expect((await cli(['runs', 'unshare', link])).code).toBe(0)
  expect(await open()).toBe(404)
  expect((await cli(['runs', 'links', runId])).stdout).toContain('revoked')
  expect((await cli(['runs', 'share', runId, '--days', '91'])).code).toBe(2)
})

test('RUN-01 the SDK starts a run once for each idempotency key, streams it, and waits for it', async () => {
  const { runs } = createClient({ baseUrl: app.base, apiKey: member.key })
  const body = { agentId, input: 'Who leads Apollo?' }
  const started = await runs.start(body, { idempotencyKey: 'by-sdk' })
  let text = ''
  const types = new Set<string>()
  for await (const part of runs.stream(started.run.runId)) {
    types.add(part.type)
    if (part.type === 'text-delta') text += part.delta
  }
  expect([...types]).toEqual(expect.arrayContaining(['start', 'tool-input-available', 'text-delta', 'finish']))
  const ended = await runs.wait(started)
  expect(ended.run).toMatchObject({ runId: started.run.runId, state: 'completed' })
  const messages = await runs.messages(started.run.runId, { order: 'desc', limit: 1 })
  expect(messages.messages[0]?.text).toBe(text)
  const replay = await runs.start(body, { idempotencyKey: 'by-sdk', wait: 10 })
  expect(replay.run).toMatchObject({ runId: started.run.runId, state: 'completed' })
})
