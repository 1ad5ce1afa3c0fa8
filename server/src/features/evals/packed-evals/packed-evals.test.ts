import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect, test } from 'vitest'
import { useApp, useMember } from '../../../test/harness.ts'

const app = useApp()
const member = useMember(app)
const other = useMember(app)

const call = (method: string, path: string, body?: unknown, key = member.key) =>
  app.request(method, path, { key, ...(body === undefined ? {} : { body }) })

const agent = (name: string, access: string, instructions = 'Answer for {{team}}.') => ({
  ...{ name, description: 'Answers.', access, instructions },
})

const desk = (rubric: string, more: object = {}) => ({
  title: 'Desk of {{team}}',
  description: 'Questions that {{team}} answers.',
  purpose: 'What {{team}} knows.',
  parameters: [
    { name: 'team', type: 'text' },
    { name: 'least', type: 'number', default: 0.5 },
  ],
  agents: [agent('Desk', 'read_only'), agent('Judge', 'none', 'You judge.')],
  rubrics: [{ name: rubric, criteria: [{ id: 'signed', text: 'The answer is signed by {{team}}.' }] }],
  evals: [
    {
      name: 'Answers',
      target: { agent: 'Desk' },
      cases: [{ id: 'who', input: 'Who are you?', expected: '{{team}}' }],
      graders: [{ type: 'contains' }, { type: 'rubric', rubric, judge: 'Judge', threshold: '{{least}}' }],
    },
    {
      name: 'Found',
      target: { read: 'search', mode: 'lexical' },
      cases: [{ id: 'tide', input: 'tide', expected: { found: [{ type: 'document', id: 'tide' }] } }],
      graders: [{ type: 'found' }],
    },
  ],
  ...more,
})

/** A threshold is a number in a stored file; only texts are filled in. */
const withThreshold = (file: ReturnType<typeof desk>, threshold: number) =>
  JSON.parse(JSON.stringify(file).replaceAll('"{{least}}"', String(threshold)))
const pack = (rubric: string, more: object = {}) => withThreshold(desk(rubric, more), 0.75)

type Item = { type: string; name: string; outcome: string; id: string }

const install = async (name: string, body: object) => {
  const answer = await call('POST', `/v1/packs/${name}/install`, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  const items: Item[] = answer.body.data.installed.items
  const find = (type: string, which = 0) => items.filter((item) => item.type === type)[which] as Item
  const outcomes = (...types: string[]) => items.flatMap(({ type, outcome }) => (types.includes(type) ? outcome : []))
  return { find, outcomes }
}
const readEval = async (id: string) => (await call('GET', `/v1/evals/${id}`)).body.data.eval
const readRubric = async (name: string) => (await call('GET', `/v1/rubrics/${name}`)).body.data.rubric

test('PCK-10 an install makes the rubrics and evals of a pack, with their parameters filled, agents and Brain', async () => {
  const stored = await call('PUT', '/v1/packs/desk-a', pack('signed-a'))
  expect(stored.status, JSON.stringify(stored.body)).toBe(201)
  expect(stored.body.data.pack).toMatchObject({ rubrics: ['signed-a'], evals: ['Answers', 'Found'] })
  const { find, outcomes } = await install('desk-a', { brain: 'desk-a', parameters: { team: 'Ops' } })
  expect(outcomes('agent', 'rubric', 'eval')).toEqual(['created', 'created', 'created', 'created', 'created'])
  expect(await readRubric('signed-a')).toMatchObject({
    version: 1,
    criteria: [{ text: 'The answer is signed by Ops.' }],
  })
  const [desk, judge] = [find('agent'), find('agent', 1)]
  expect((await call('GET', `/v1/agents/${judge.id}`)).body.data.agent.brains).toEqual([])
  const ofAgent = await readEval(find('eval').id)
  expect(ofAgent).toMatchObject({
    ...{ name: 'Answers', version: 1, target: { agentId: desk.id } },
    graders: [{ type: 'contains' }, { type: 'rubric', rubric: 'signed-a', judge: judge.id, threshold: 0.75 }],
  })
  expect((await call('GET', `/v1/evals/${ofAgent.id}/cases`)).body.data.cases).toEqual([
    { id: 'who', input: 'Who are you?', expected: 'Ops' },
  ])
  const ofBrain = await readEval(find('eval', 1).id)
  expect(ofBrain.target).toMatchObject({ brain: 'desk-a', read: 'search', mode: 'lexical' })
  expect((await call('POST', `/v1/evals/${ofBrain.id}/runs`, {})).status).toBe(201)
  const again = await install('desk-a', { brain: 'desk-a' })
  expect(again.outcomes('agent', 'rubric', 'eval')).toEqual(Array(5).fill('present'))
  expect([again.find('eval').id, (await readEval(ofAgent.id)).version]).toEqual([ofAgent.id, 1])
  expect((await call('GET', `/v1/evals/${ofAgent.id}`, undefined, other.key)).status).toBe(404)
})

test('PCK-10 installs at once make each eval and rubric once, and one that was archived is made again', async () => {
  await call('PUT', '/v1/packs/desk-b', pack('signed-b'))
  const body = { brain: 'desk-b', parameters: { team: 'Ops' } }
  const all = await Promise.all([1, 2, 3].map(() => install('desk-b', body)))
  const ids = new Set(all.map(({ find }) => [find('eval').id, find('eval', 1).id, find('rubric').id].join()))
  expect(ids.size).toBe(1)
  expect((await readRubric('signed-b')).version).toBe(1)
  await call('DELETE', `/v1/evals/${all[0]?.find('eval').id}`)
  const again = await install('desk-b', body)
  expect(again.outcomes('eval')).toEqual(['created', 'present'])
  expect(again.find('eval').id).not.toBe(all[0]?.find('eval').id)
})

test('PCK-11 an install of another version makes next versions of what no one has changed, and leaves the rest', async () => {
  await call('PUT', '/v1/packs/desk-c', pack('signed-c'))
  const first = await install('desk-c', { brain: 'desk-c', model: 'noema/extractive', parameters: { team: 'Ops' } })
  const changed = {
    agents: [agent('Desk', 'read_write', 'Answer well for {{team}}.'), agent('Judge', 'none', 'You judge.')],
    rubrics: [{ name: 'signed-c', criteria: [{ id: 'signed', text: 'It is signed.' }] }],
  }
  const { evals } = desk('signed-c')
  const more = evals.map((one) => ({ ...one, cases: [...one.cases, { id: 'more', input: 'More?', expected: 'more' }] }))
  await call('PUT', '/v1/packs/desk-c', pack('signed-c', { ...changed, evals: more }))
  // A person changed one eval meanwhile.
  await call('PATCH', `/v1/evals/${first.find('eval', 1).id}`, { name: 'Mine' })
  const next = await install('desk-c', { brain: 'desk-c', version: 2 })
  expect(next.outcomes('agent', 'rubric', 'eval')).toEqual(['updated', 'present', 'updated', 'updated', 'present'])
  expect(await readRubric('signed-c')).toMatchObject({ version: 2, criteria: [{ text: 'It is signed.' }] })
  expect(await readEval(first.find('eval').id)).toMatchObject({ version: 2, cases: 2 })
  expect(await readEval(first.find('eval', 1).id)).toMatchObject({ version: 2, name: 'Mine', cases: 1 })
  const { agent: read } = (await call('GET', `/v1/agents/${first.find('agent').id}`)).body.data
  expect(read).toMatchObject({ version: 2, instructions: 'Answer well for Ops.', model: 'noema/extractive' })
  expect(read.brains).toMatchObject([{ access: 'read_write' }])
  const same = await install('desk-c', { brain: 'desk-c' })
  expect(same.outcomes('agent', 'rubric', 'eval')).toEqual(Array(5).fill('present'))
  // Other values, too.
  const values = await install('desk-c', { brain: 'desk-c', parameters: { team: 'Sales' } })
  expect(values.outcomes('agent', 'eval')).toEqual(['updated', 'present', 'updated', 'present'])
  expect((await call('GET', `/v1/evals/${first.find('eval').id}/cases`)).body.data.cases).toContainEqual(
    expect.objectContaining({ id: 'who', expected: 'Sales' }),
  )
})

test('PCK-15 with other values, an item whose name has a parameter is the same item under another name', async () => {
  const named = pack('signed-e', {
    agents: [agent('Desk of {{team}}', 'read_only'), agent('Judge', 'none', 'You judge.')],
    triggers: [
      {
        ...{ name: 'New in {{team}}', agent: 'Desk of {{team}}', expectedOutcome: 'A note.' },
        ...{ requiredAccess: 'read_only', entityKinds: ['note'] },
      },
    ],
  })
  const [ofAgent] = named.evals
  const evals = [{ ...ofAgent, name: 'Answers of {{team}}', target: { agent: 'Desk of {{team}}' } }]
  const stored = await call('PUT', '/v1/packs/desk-e', { ...named, evals })
  expect(stored.status, JSON.stringify(stored.body)).toBe(201)
  const first = await install('desk-e', { brain: 'desk-e', parameters: { team: 'Ops' } })
  expect(first.find('agent').name).toBe('Desk of Ops')
  const next = await install('desk-e', { brain: 'desk-e', parameters: { team: 'Sales' } })
  expect(next.outcomes('agent', 'trigger', 'eval')).toEqual(['updated', 'present', 'present', 'updated'])
  expect(next.find('agent')).toMatchObject({ id: first.find('agent').id, name: 'Desk of Sales' })
  expect(next.find('trigger').id).toBe(first.find('trigger').id)
  expect(await readEval(first.find('eval').id)).toMatchObject({ version: 2, name: 'Answers of Sales' })
  expect((await call('GET', `/v1/agents/${first.find('agent').id}`)).body.data.agent).toMatchObject({
    ...{ version: 2, name: 'Desk of Sales', instructions: 'Answer for Sales.' },
  })
  const same = await install('desk-e', { brain: 'desk-e' })
  expect(same.outcomes('agent', 'trigger', 'eval')).toEqual(Array(4).fill('present'))
})

test('PCK-11 a rubric of the organization that no pack brought stays as it is', async () => {
  const criteria = [{ id: 'own', text: 'Our own.' }]
  await call('PUT', '/v1/rubrics/signed-d', { criteria })
  await call('PUT', '/v1/packs/desk-d', pack('signed-d'))
  const body = { brain: 'desk-d', parameters: { team: 'Ops' } }
  await install('desk-d', body)
  await install('desk-d', { ...body, parameters: { team: 'Sales' } })
  expect(await readRubric('signed-d')).toMatchObject({ version: 1, criteria })
})

test('PCK-12 a pack with an eval that names something it lacks is refused with the place, and its schema says what fits', async () => {
  const good = pack('signed')
  const [ofAgent] = good.evals
  const wrong: [more: object, path: string][] = [
    [{ evals: [{ ...ofAgent, target: { agent: 'No one' } }] }, 'body.evals.0.target.agent'],
    [{ evals: [{ ...ofAgent, target: { agentId: 'agt_1' } }] }, 'body.evals.0.target'],
    [{ evals: [{ ...ofAgent, graders: [{ ...ofAgent.graders[1], judge: 'Desk' }] }] }, 'body.evals.0.graders.0.judge'],
    [{ rubrics: [] }, 'body.evals.0.graders.1.rubric'],
    [{ rubrics: [{ name: 'noema-x', criteria: good.rubrics[0].criteria }] }, 'body.rubrics.0.name'],
    [{ evals: [{ ...ofAgent, cases: [] }] }, 'body.evals.0.cases'],
    [{ evals: [ofAgent, ofAgent] }, 'body.evals'],
  ]
  for (const [more, path] of wrong) {
    const answer = await call('PUT', '/v1/packs/wrong', { ...good, ...more })
    expect([answer.status, answer.body.error?.details?.[0]?.path], path).toEqual([400, path])
  }
  const ajv = new Ajv2020({ strict: false })
  formats.default(ajv)
  const validate = ajv.compile((await app.request('GET', '/v1/pack-schema', {})).body.data.schema)
  expect(validate(good), JSON.stringify(validate.errors)).toBe(true)
  expect(validate({ ...good, evals: [{ ...ofAgent, graders: [{ type: 'odd' }] }] })).toBe(false)
  // Values cannot make an eval wrong.
  const long = {
    ...good,
    parameters: [{ name: 'team', type: 'text' }],
    rubrics: [],
    evals: [{ ...good.evals[1], name: '{{team}}' }],
  }
  await call('PUT', '/v1/packs/long', long)
  const refused = await call('POST', '/v1/packs/long/install', { parameters: { team: 'x'.repeat(300) } })
  expect([refused.status, (await call('GET', '/v1/brains/long')).status]).toEqual([400, 404])
})
