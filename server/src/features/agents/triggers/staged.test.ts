import { expect, test } from 'vitest'
import { listRunTools } from '../../../agent-runtime/tools/list-run-tools.ts'
import { callRunTool } from '../../../agent-runtime/tools/run-tools.fixture.ts'
import { joinOrganization } from '../../../test/organizations.ts'
import { useTriggers } from './use-triggers.fixture.ts'

// Triggers on changes that are staged, and what their runs may do.

const triggers = useTriggers()
const { app, scene, call } = triggers

const stage = async (text: string) =>
  (await scene.brain.call('POST', '/batch', { operations: [{ op: 'document.put', id: 'd', text }], review: true })).body
    .data.change.id
const staged = { kindScopes: [{ entityKind: '@change.staged' }] }

/** The first run of a trigger, as the runtime lists its tools. */
const findRun = async (trigger: string, isOfSystem = true) => {
  const [run] = await triggers.runs(trigger)
  const { brain, organizationId } = scene.brain
  const brains = [{ id: brain.id, handle: brain.handle, access: 'read_write' as const }]
  return { id: run?.runId ?? '', organizationId, isOfSystem, definition: { tools: [], brains } }
}
type Run = Awaited<ReturnType<typeof findRun>>

const use = async (run: Run, input: object) => {
  const { output, isError } = await callRunTool(app, run, 'staged_change', input)
  return { isError, text: typeof output === 'string' ? output : JSON.stringify(output) }
}
const readChange = async (id: string) => (await scene.brain.call('GET', `/changes/${id}`)).body.data.change

test('PRV-10 a staged change starts the triggers that name staged changes, and no others', async () => {
  const { id } = await triggers.createTrigger(staged)
  const { id: other } = await triggers.createTrigger({ kindScopes: [] })
  const change = await stage('The office moves.')
  await triggers.fire()
  const [run, ...more] = await triggers.runs(id)
  expect([more, await triggers.runs(other)]).toEqual([[], []])
  expect(run?.input).toContain(change)
  await scene.brain.call('POST', `/changes/${change}/decide`, { decision: 'approved' })
  await triggers.fire()
  expect([(await triggers.runs(id)).length, (await triggers.runs(other)).length]).toEqual([1, 1])
  const wrong = await call('POST', triggers.path, { ...triggers.given(), kindScopes: [{ entityKind: '@other' }] })
  expect(wrong.status).toBe(400)
})

test('PRV-10 its run reads, previews and comments on that change alone, and decides nothing', async () => {
  const { id } = await triggers.createTrigger(staged)
  const change = await stage('The office moves to the harbor in May.')
  const other = await stage('Another text.')
  await triggers.fire()
  const run = await findRun(id)
  const first = (await readChange(change)).items.length
  expect(first).toBe(1)
  const read = await use(run, { action: 'read' })
  const named = read.text.includes('harbor') ? change : other
  const preview = await use(run, { action: 'preview', questions: ['Where does the office move?'] })
  expect([read.isError, preview.isError]).toEqual([false, false])
  expect(preview.text).toContain('entered')
  const comment = { action: 'comment', text: 'The source does not name the harbor.' }
  // A call that is repeated after its node died comments once.
  const said = await Promise.all([use(run, comment), use(run, comment)])
  expect(said.map(({ isError }) => isError)).toEqual([false, false])
  const { comments, decision } = await readChange(named)
  expect(decision).toBe('pending')
  expect(comments).toMatchObject([{ text: comment.text, by: { type: 'run', id: run.id } }])
  for (const input of [
    { action: 'decide', decision: 'approved' },
    { action: 'read', id: other },
    { action: 'comment' },
  ])
    expect((await use(run, input)).isError).toBe(true)
  const tools = await listRunTools(app.app.deps, run)
  expect(tools.map(({ name }) => name)).not.toContain('knowledge_decide')
  await expect(callRunTool(app, run, 'knowledge_decide', { id: change, decision: 'approved' })).rejects.toThrow()
  // Its right ends with the trigger.
  await call('DELETE', `${triggers.path}/${id}`)
  expect((await listRunTools(app.app.deps, run)).map(({ name }) => name)).not.toContain('staged_change')
})

test('PRV-10 runs of other triggers have no such tool, and those of a member who may not review are refused', async () => {
  const { id } = await triggers.createTrigger()
  await triggers.write('note', { name: 'x' })
  await triggers.fire()
  expect((await listRunTools(app.app.deps, await findRun(id))).map(({ name }) => name)).not.toContain('staged_change')
  const owner = { ...triggers.member.member }
  const person = await joinOrganization(app, owner)
  const manager = await joinOrganization(app, owner, 'admin')
  const members = [{ member: person.email, role: 'writer' }]
  const access = { headers: manager.session, body: { openTo: 'members', members } }
  expect((await app.request('PATCH', `${scene.brain.path}/access`, access)).status).toBe(200)
  const body = { ...triggers.given(), ...staged }
  const made = await app.request('POST', triggers.path, { headers: person.session, body })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  await app.request('POST', `${scene.brain.path}/batch`, {
    headers: manager.session,
    body: { operations: [{ op: 'document.put', id: 'secret', text: 'Not for writers.' }], review: true },
  })
  await triggers.fire()
  const [fired] = (
    await app.request('GET', `/v1/runs?triggerId=${made.body.data.trigger.id}`, { headers: person.session })
  ).body.data.runs
  const run = { ...(await findRun(id)), id: fired.runId }
  const read = await use(run, { action: 'read' })
  expect(read).toMatchObject({ isError: true, text: expect.stringContaining('may not review') })
  expect(read.text).not.toContain('Not for writers')
})
