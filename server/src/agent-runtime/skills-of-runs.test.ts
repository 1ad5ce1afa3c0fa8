import type { Operation } from '@noema/contracts/activity.ts'
import { expect, test } from 'vitest'
import { toMain, toSkill, useSkills } from '../features/writing/skills/use-skills.fixture.ts'
import { addBrain, createMember } from '../test/app.ts'
import { joinOrganization } from '../test/organizations.ts'
import { readRequest, useRuns } from './use-runs.fixture.ts'

const runs = useRuns()
let made = 0

type ToolCall = Extract<Operation, { type: 'tool_call' }>

const readCalls = async (runId: string): Promise<ToolCall[]> => {
  const { operations } = (await runs.call('GET', `/v1/runs/${runId}/operations?limit=100`)).body.data
  return operations.filter(({ type }: Operation) => type === 'tool_call')
}

/** The instructions that the model got last. */
const readSystem = (): string => {
  const message = runs.scripted.models.requests.at(-1)?.body.messages[0]
  return message?.role === 'system' ? String(message.content) : ''
}

/** Scripts a model that loads skills, one call a step. */
const sayCalls = (calls: readonly object[], between?: (step: number) => Promise<unknown>) =>
  runs.scripted.models.says(async (request) => {
    const { step } = readRequest(request)
    await between?.(step)
    const input = calls[step]
    return input ? { toolCalls: [{ id: `call_${step}`, name: 'load_skill', input }] } : { text: ['Done.'] }
  })

/** A Brain with a skill, and an agent that has it. */
const setUp = async (more: object = {}) => {
  const brain = await addBrain(runs.app, runs.scene.member, `house-${++made}`)
  const skills = useSkills(brain)
  await skills.put('refunds', { 'references/limits.md': 'At most 100 euros.' })
  const { handle } = brain.brain
  const agent = await runs.createAgent({ skills: [{ brain: handle, name: 'refunds' }], ...more })
  return { brain, skills, agent, handle }
}

test('SKL-10 a run gets names and descriptions in its prompt, loads the rest, and its activity names the version', async () => {
  const { brain, skills, agent } = await setUp()
  expect(agent.skills).toEqual([{ brainId: brain.brain.id, brain: brain.brain.handle, name: 'refunds' }])
  sayCalls([{ name: 'refunds' }, { name: 'refunds', path: 'references/limits.md' }])
  const { runId, state } = await runs.ended(await runs.start(agent.id))
  expect(state).toBe('completed')
  expect(readSystem()).toContain('- refunds: How to refunds.')
  const { skill } = (await skills.get('refunds')).body.data
  const calls = await readCalls(runId)
  expect(calls).toMatchObject([
    {
      output: {
        text: toMain('refunds'),
        skillVersionId: skill.skillVersionId,
        files: [{ path: 'SKILL.md' }, { path: 'references/limits.md', bytes: 18 }],
      },
    },
    { output: { path: 'references/limits.md', text: 'At most 100 euros.' } },
  ])
  for (const call of calls)
    expect(call).toMatchObject({
      ...{ status: 'succeeded', toolSourceKind: 'skill', toolSourceId: `${brain.brain.id}/refunds` },
      ...{ toolName: 'load_skill', skillVersionId: skill.skillVersionId, toolSourceVersionId: skill.skillVersionId },
    })
  const { receipts } = (await brain.call('GET', `/receipts?consumerId=${runId}`)).body.data
  expect(receipts.map(({ served }: { served: { documents: object[] } }) => served.documents)).toEqual([
    [{ id: 'skills/refunds/SKILL.md', version: 1 }],
    [{ id: 'skills/refunds/references/limits.md', version: 1 }],
  ])
})

test('SKL-11 a skill that is corrected while runs use it names each version, and the correction finds every run that read it', async () => {
  const { brain, skills, agent } = await setUp()
  await runs.call('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['knowledge.corrected'] })
  const others = { 'references/limits.md': 'At most 100 euros.' }
  const wrong = (await skills.put('refunds', others, {}, toMain('refunds', { body: 'Refund all.' }))).body.data
  const corrected = toMain('refunds', { body: 'Refund up to the limit.' })
  let change = ''
  sayCalls([{ name: 'refunds' }, { name: 'refunds' }], async (step) => {
    if (step !== 1) return
    const body = { ...toSkill('refunds', others, corrected), corrects: wrong.change.id }
    change = (await brain.call('PUT', '/skills/refunds', body)).body.data.change.id
  })
  const { runId } = await runs.ended(await runs.start(agent.id))
  const [first, second] = await readCalls(runId)
  expect(first?.skillVersionId).toBe(wrong.skill.skillVersionId)
  expect(second?.skillVersionId).toBe((await skills.get('refunds')).body.data.skill.skillVersionId)
  expect(second?.skillVersionId).not.toBe(first?.skillVersionId)
  expect(second?.output).toMatchObject({ text: corrected })
  const { receipts } = (await brain.call('GET', `/receipts?consumerId=${runId}`)).body.data
  expect(receipts).toMatchObject([{ current: false, moved: [{ from: 2, to: 3, change }] }, { current: true }])
  const readCorrections = async () =>
    JSON.stringify(await runs.query("select body from organization_deliveries where event = 'knowledge.corrected'"))
  await expect.poll(readCorrections).toContain(runId)
})

test('SKL-12 a run gets a skill only of a Brain that its starter may read, and none of a Brain that was deleted', async () => {
  const { brain, agent } = await setUp()
  const { member } = runs.scene
  const guest = await joinOrganization(runs.app, member)
  const runAs = async (headers: Record<string, string>) => {
    sayCalls([{ name: 'refunds' }])
    const started = await runs.app.request('POST', '/v1/runs', { headers, body: { agentId: agent.id, input: 'Go.' } })
    const { runId } = await runs.ended(started.body.data.run.runId)
    return { system: readSystem(), call: (await readCalls(runId))[0] }
  }
  const open = await runAs(guest.session)
  expect([open.call?.status, open.system.includes('refunds')]).toEqual(['succeeded', true])
  await runs.app.request('PATCH', `${brain.path}/access`, { headers: member.session, body: { openTo: 'members' } })
  // The agent names a Brain that is hidden from the guest, and so is the agent.
  const hidden = await runs.app.request('GET', `/v1/agents/${agent.id}`, { headers: guest.session })
  expect(hidden.status).toBe(404)
  expect((await runs.call('DELETE', brain.path)).status).toBe(200)
  const gone = await runAs(member.session)
  expect([gone.call?.status, gone.system.includes('refunds')]).toEqual(['failed', false])
  expect(gone.call).toMatchObject({ error: expect.stringContaining('is gone'), toolSourceKind: 'skill' })
  expect(gone.call).not.toHaveProperty('skillVersionId')
})

test('SKL-13 an agent names skills that exist, each once; what is there later stays with the version of the agent', async () => {
  const { skills, agent, handle } = await setUp()
  const create = (given: unknown) =>
    runs.call('POST', '/v1/agents', { name: 'a', instructions: '', model: 'noema/extractive', skills: given })
  const refusals = [
    [[{ brain: handle, name: 'none' }], 'no skill'],
    [[{ brain: 'nowhere', name: 'refunds' }], 'no Brain'],
    [Array.from({ length: 2 }, () => ({ brain: handle, name: 'refunds' })), 'named twice'],
    [Array.from({ length: 21 }, (_, at) => ({ brain: handle, name: `s${at}` })), 'at most 20'],
  ] as const
  for (const [given, text] of refusals) {
    const { status, body } = await create(given)
    expect([status, JSON.stringify(body).includes(text)], JSON.stringify(body)).toEqual([400, true])
  }
  const stranger = await createMember(runs.app)
  const body = { name: 'a', instructions: '', model: 'noema/extractive', skills: [{ brain: handle, name: 'refunds' }] }
  expect((await runs.app.request('POST', '/v1/agents', { key: stranger.key, body })).status).toBe(400)
  await skills.remove('refunds')
  const path = `/v1/agents/${agent.id}`
  const renamed = (await runs.call('PATCH', path, { name: 'b' })).body.data.agent
  expect(renamed).toMatchObject({ version: 2, skills: agent.skills })
  expect((await runs.call('PATCH', path, { skills: [] })).body.data.agent).not.toHaveProperty('skills')
})

test('SKL-14 a skill with a problem is not in the prompt, and loading it says why; wrong names say what there is', async () => {
  const { brain, agent } = await setUp()
  await brain.call('POST', '/documents', { id: 'skills/refunds/SKILL.md', text: '# No frontmatter' })
  sayCalls([{ name: 'refunds' }, { name: 'other' }, { name: 'refunds', path: '../x' }, {}])
  const { runId } = await runs.ended(await runs.start(agent.id))
  expect(readSystem()).not.toContain('refunds')
  const errors = (await readCalls(runId)).map(({ status, error }) => [status, error])
  expect(errors).toEqual(
    ['begins with frontmatter', 'There are: refunds', 'A path is relative', 'name is the name'].map((text) => [
      'failed',
      expect.stringContaining(text),
    ]),
  )
})

test('SKL-15 skills of one name in two Brains differ by their Brains, and a long file is loaded in parts', async () => {
  const { agent, handle } = await setUp()
  const other = await addBrain(runs.app, runs.scene.member, `house-${++made}`)
  const long = `${'x'.repeat(64 * 1024)}end`
  await useSkills(other).put('refunds', { 'long.txt': long })
  const both = [handle, other.brain.handle].map((brain) => ({ brain, name: 'refunds' }))
  await runs.call('PATCH', `/v1/agents/${agent.id}`, { skills: both })
  const name = `${other.brain.handle}/refunds`
  sayCalls([
    { name, path: 'long.txt' },
    { name, path: 'long.txt', offset: 64 * 1024 },
  ])
  const { runId } = await runs.ended(await runs.start(agent.id))
  expect(readSystem()).toContain(`- ${handle}/refunds: `)
  expect(await readCalls(runId)).toMatchObject([
    { toolSourceId: `${other.brain.id}/refunds`, output: { nextOffset: 64 * 1024 } },
    { output: { text: 'end' } },
  ])
})
