import { expect, test } from 'vitest'
import { addBrain, createMember } from '../test/app.ts'
import { joinOrganization, removeMember } from '../test/organizations.ts'
import { addRun, callRunTool } from './tools/run-tools.fixture.ts'
import { readRequest, useRuns } from './use-runs.fixture.ts'

// Files that runs read and write.

const runs = useRuns()
const { app } = runs

const upload = async (path: string, body: string | Uint8Array<ArrayBuffer>, contentType = 'text/plain') => {
  const response = await fetch(`${app.base}/v1/artifacts?path=${encodeURIComponent(path)}`, {
    ...{ method: 'POST', body },
    headers: { authorization: `Bearer ${runs.scene.member.key}`, 'content-type': contentType },
  })
  return JSON.parse(await response.text()).data.artifact
}
const listFiles = async (query: string) => (await runs.call('GET', `/v1/artifacts?${query}`)).body.data.artifacts
const readContent = async (id: string) => {
  const headers = { authorization: `Bearer ${runs.scene.member.key}` }
  return (await fetch(`${app.base}/v1/artifacts/${id}/content`, { headers })).text()
}

type Calls = readonly { name: string; input: object }[]

/** Has models make these calls in their first step, and then end. */
const scriptCalls = (calls: Calls) =>
  runs.scripted.models.says((request) =>
    readRequest(request).step === 0
      ? { toolCalls: calls.map((call, index) => ({ id: `call_${index}`, ...call })) }
      : { text: ['Done.'] },
  )
const endedWithCalls = async (runId: string) => {
  expect((await runs.ended(runId)).state).toBe('completed')
  return (await runs.listOperations(runId)).filter(({ type }) => type === 'tool_call')
}
const runCalls = async (calls: Calls, agent: object) => {
  scriptCalls(calls)
  const runId = await runs.start((await runs.createAgent(agent)).id)
  return { runId, calls: await endedWithCalls(runId) }
}
const both = { tools: ['artifact_read', 'artifact_write'] }
const write = (path: string, content: string) => ({ name: 'artifact_write', input: { path, content } })
const addBareRun = async (tools: ('artifact_read' | 'artifact_write')[] = ['artifact_read', 'artifact_write']) =>
  addRun(app, [{ brain: runs.scene.brain, access: 'read_only' }], { tools })

test('FIL-16 a run writes files in its own folder, which name their run and are listed by it', async () => {
  const { runId, calls } = await runCalls([write('out/a.md', '# Ä'), write('../escape', 'no')], both)
  expect(calls).toMatchObject([
    { status: 'succeeded', output: { path: `runs/${runId}/out/a.md`, version: 1, contentType: 'text/markdown' } },
    { status: 'failed', error: expect.stringContaining('without . and ..') },
  ])
  await upload('other.txt', 'not of a run')
  const files = await listFiles(`runId=${runId}`)
  expect(files).toMatchObject([
    {
      ...{ path: `runs/${runId}/out/a.md`, source: 'run', bytes: 4 },
      createdBy: { type: 'run', runId, userId: expect.any(String) },
    },
  ])
  expect(await readContent(files[0].id)).toBe('# Ä')
  // Another version by a person is theirs; the run is still shown what it wrote.
  await upload(`runs/${runId}/out/a.md`, 'edited', 'text/markdown')
  expect(await listFiles(`runId=${runId}`)).toMatchObject([{ version: 1, bytes: 4 }])
  expect(await listFiles(`prefix=runs/${runId}/`)).toMatchObject([{ version: 2, source: 'upload' }])
  expect(await listFiles('runId=run_none')).toEqual([])
  const stranger = await createMember(app)
  const theirs = await app.request('GET', `/v1/artifacts?runId=${runId}`, { key: stranger.key })
  expect([theirs.status, theirs.body.data.artifacts]).toEqual([200, []])
  const { rows } = await app.database.pool.query(
    `select actor->>'type' as type from audit_entries where target->>'name' = $1 order by at limit 1`,
    [`runs/${runId}/out/a.md`],
  )
  expect(rows).toEqual([{ type: 'run' }])
})

test('FIL-16 a run reads the files of its organization a part at a time, cut between characters, and lists them', async () => {
  const text = `${'ä'.repeat(50_000)}END`
  await upload('long/text.txt', text)
  await upload('long/page.html', '<h1>Title</h1><p>Hello <b>there</b>', 'text/html')
  await upload('long/image.png', new Uint8Array([1, 2, 3]), 'image/png')
  const run = await addBareRun()
  const read = (input: object) => callRunTool(app, run, 'artifact_read', input)
  let offset: number | undefined
  const parts: string[] = []
  do {
    const { output } = await read({ path: 'long/text.txt', ...(offset === undefined ? {} : { offset }) })
    parts.push(output.text)
    offset = output.nextOffset
  } while (offset !== undefined)
  expect([parts.length, parts.join('') === text]).toEqual([2, true])
  expect((await read({ path: 'long/page.html' })).output).toMatchObject({ text: '# Title\n\nHello there' })
  expect(await read({ path: 'long/image.png' })).toMatchObject({
    isError: true,
    output: expect.stringContaining('file_unsupported'),
  })
  expect(await read({ path: 'long/none.txt' })).toMatchObject({
    isError: true,
    output: expect.stringContaining('no file'),
  })
  const list = await read({ prefix: 'long/', after: 'long/image.png' })
  expect(list.output).toMatchObject({
    files: [{ path: 'long/page.html', contentType: 'text/html' }, { path: 'long/text.txt' }],
    hasMore: false,
  })
  expect((await read({ paths: 'x' })).isError).toBe(true)
})

test('FIL-16 activity says that a run read a file', async () => {
  await upload('facts.txt', 'The sky is blue.')
  const { runId } = await runCalls([{ name: 'artifact_read', input: { path: 'facts.txt' } }], both)
  const { operations } = (await runs.call('GET', `/v1/runs/${runId}/operations`)).body.data
  const subjects = operations.flatMap((one: { knowledgeReadSubject?: string }) => one.knowledgeReadSubject ?? [])
  expect(subjects).toEqual(['artifact'])
})

test('FIL-16 a run has the tools that its agent names; one that may only read writes no file', async () => {
  const { calls } = await runCalls([write('a.md', 'x')], { tools: ['artifact_read'] })
  expect(calls).toMatchObject([{ status: 'failed', error: expect.stringContaining('There is no tool') }])
  // The runs of a trigger go as far as it allows.
  const { id: agentId } = await runs.createAgent({ ...both, brains: [{ handle: 'brain', access: 'read_write' }] })
  const trigger = { brain: 'brain', agentId, name: 'Watch', requiredAccess: 'read_only', kindScopes: [] }
  expect((await runs.call('POST', '/v1/automations/triggers', trigger)).status).toBe(201)
  await runs.scene.brain.call('PUT', '/records/ada', { kind: 'person' })
  const findRun = () => runs.query('select id from runs where agent_id = $1', [agentId])
  await expect.poll(async () => (await findRun()).length).toBe(1)
  const runId = String((await findRun())[0]?.id)
  expect(await endedWithCalls(runId)).toMatchObject([
    { status: 'failed', error: expect.stringMatching(/no tool "artifact_write".* artifact_read/) },
  ])
  expect(await listFiles(`runId=${runId}`)).toEqual([])
})

test('FIL-16 a call that is made again after its node died writes nothing, also when the caps are used up', async () => {
  const run = await addBareRun()
  const call = (content: string) =>
    callRunTool(app, run, 'artifact_write', { path: 'once.md', content }, { operationId: 'opr_1' })
  const first = await call('one')
  expect(first).toMatchObject({ isError: false, output: { version: 1 } })
  await callRunTool(app, run, 'artifact_write', { path: 'once.md', content: 'two' })
  const again = await call('one')
  expect(again).toEqual(first)
  expect(await listFiles(`runId=${run.id}`)).toMatchObject([{ version: 2 }])
  const kept = await runs.query('select count(*)::integer as bodies from artifact_bodies where erase_at is not null')
  expect(kept).toEqual([{ bodies: 0 }])
})

test('FIL-16 a run whose node is lost after a write goes on elsewhere with the file written once', async () => {
  runs.scripted.models.says((request) => {
    const { step, results } = readRequest(request)
    if (step === 0) return { toolCalls: [{ id: 'call', ...write('kept.md', 'text') }] }
    return { text: [results.join(' ')] }
  })
  // The first node has written the file and is lost before it can say so.
  const agent = await runs.createAgent(both)
  await runs.query(`create function lose_outcome() returns trigger language plpgsql as
    $$ begin update runs set lease = 'lost', due_at = now() where id = split_part(new.path, '/', 2); return new; end $$`)
  await runs.query('create trigger lose_outcome after update on artifacts for each row execute function lose_outcome()')
  const runId = await runs.start(agent.id)
  const run = await runs.ended(runId)
  await runs.query('drop trigger lose_outcome on artifacts')
  expect(run.state).toBe('completed')
  const [call] = (await runs.listOperations(runId)).filter(({ type }) => type === 'tool_call')
  expect(call).toMatchObject({ status: 'succeeded', attempt: 2, output: { version: 1 } })
  expect(await listFiles(`runId=${runId}`)).toMatchObject([{ version: 1 }])
})

test('FIL-16 a run that lost its lease or whose starter lost access writes and reads no file', async () => {
  const run = await addBareRun()
  const lost = async () => {
    throw new Error('lost')
  }
  const refused = await callRunTool(app, run, 'artifact_write', { path: 'a.md', content: 'x' }, { guard: lost })
  expect(refused.isError).toBe(true)
  expect(await listFiles(`runId=${run.id}`)).toEqual([])
  const guest = await joinOrganization(app, runs.scene.member)
  const whoami = await app.request('GET', '/v1/whoami', { headers: guest.session })
  const userId: string = whoami.body.data.user.id
  const starter = { type: 'session' as const, id: userId, userId }
  const theirs = await addRun(app, [{ brain: runs.scene.brain, access: 'read_only' }], {
    ...{ starter, tools: both.tools as ['artifact_read'] },
  })
  expect((await callRunTool(app, theirs, 'artifact_read', {})).isError).toBe(false)
  await removeMember(app, runs.scene.member, guest)
  const ended = { isError: true, output: expect.stringContaining('lost access') }
  expect(await callRunTool(app, theirs, 'artifact_read', {})).toMatchObject(ended)
  expect(await callRunTool(app, theirs, 'artifact_write', { path: 'b.md', content: 'x' })).toMatchObject(ended)
})

test('FIL-16 the files of a run stay in its organization and within its caps', async () => {
  const other = await createMember(app)
  await upload('secret.txt', 'ours')
  const brain = await addBrain(app, other, 'theirs')
  const run = await addRun(app, [{ brain, access: 'read_only' }], { tools: ['artifact_read', 'artifact_write'] })
  expect((await callRunTool(app, run, 'artifact_read', { path: 'secret.txt' })).isError).toBe(true)
  expect((await callRunTool(app, run, 'artifact_read', {})).output.files).toEqual([])
  const long = { path: 'long.txt', content: 'x'.repeat(256 * 1024 + 1) }
  expect(await callRunTool(app, run, 'artifact_write', long)).toMatchObject({
    isError: true,
    output: expect.stringContaining('262144'),
  })
})
