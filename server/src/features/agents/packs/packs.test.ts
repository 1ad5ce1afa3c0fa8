import { afterAll, beforeAll, expect, test } from 'vitest'
import { addBrain, createMember, type TestMember } from '../../../test/app.ts'
import { useApp } from '../../../test/harness.ts'
import { type ScriptedModels, startScriptedModels } from '../../../test/models/scripted-models.ts'

const app = useApp()
let member: TestMember
let models: ScriptedModels
beforeAll(async () => {
  member = await createMember(app)
  models = await startScriptedModels()
})
afterAll(() => models.close())

type Item = { type: string; name: string; outcome: string; id?: string; change?: string }

const call = (method: string, path: string, body?: unknown) =>
  app.request(method, path, { key: member.key, ...(body === undefined ? {} : { body }) })

const install = async (pack: string, body: object = {}) => {
  const answer = await call('POST', `/v1/packs/${pack}/install`, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  const { installed } = answer.body.data
  const items: Item[] = installed.items
  const brain: { id: string; handle: string } = installed.brain
  return { brain, items, outcomes: items.map(({ type, outcome }) => `${type} ${outcome}`) }
}

const find = (items: readonly Item[], type: string): Item => {
  const found = items.find((item) => item.type === type)
  if (!found) throw new Error(`There is no ${type}.`)
  return found
}

const listPending = async (handle: string) =>
  (await call('GET', `/v1/brains/${handle}/changes?decision=pending`)).body.data.changes

test('D-79d three packs come along, each with kinds, agents and sample content', async () => {
  const { packs } = (await call('GET', '/v1/packs')).body.data
  expect(packs.map(({ name }: { name: string }) => name)).toEqual([
    ...['people-and-conversations', 'support-knowledge', 'research-notes'],
  ])
  for (const pack of packs) {
    expect(pack.kinds.length).toBeGreaterThan(1)
    expect(pack.agents.length).toBeGreaterThan(1)
    expect(pack.sample.documents).toBeGreaterThan(0)
  }
  const unknown = await call('POST', '/v1/packs/no-such-pack/install', {})
  expect(unknown.status).toBe(404)
  expect(unknown.body.error.message).toContain('there are people-and-conversations')
})

test('D-79d a pack without a Brain makes one in review mode, and none of its content is there before a person approves', async () => {
  const { brain, outcomes, items } = await install('research-notes')
  expect(brain.handle).toBe('research-notes')
  expect(outcomes).toEqual(['brain created', 'agent created', 'agent created', 'schema staged', 'sample staged'])
  const read = (await call('GET', '/v1/brains/research-notes')).body.data.brain
  expect(read).toMatchObject({ mode: 'review', name: 'Research notes', schemaVersion: 0 })
  expect(read.counts).toMatchObject({ records: 0, statements: 0, documents: 0, pendingChanges: 2 })
  for (const type of ['schema', 'sample']) {
    const decided = await call('POST', `/v1/brains/research-notes/changes/${find(items, type).change}/decide`, {
      decision: 'approved',
    })
    expect(decided.body.data.change, type).toMatchObject({ application: 'applied' })
  }
  const { counts, schemaVersion } = (await call('GET', '/v1/brains/research-notes')).body.data.brain
  expect([counts.records, counts.documents, schemaVersion]).toEqual([3, 1, 1])
})

test('every pack can be approved whole, and its agents answer from it', async () => {
  for (const [pack, question, words] of [
    ['support-knowledge', 'The light of the kettle blinks red, what helps?', 'Descale the filter'],
    ['research-notes', 'Does sleep after learning help memory?', 'Sleep after learning helps memory'],
  ] as const) {
    const { brain, items } = await install(pack, { brain: `whole-${pack}` })
    for (const type of ['schema', 'sample'])
      await call('POST', `/v1/brains/${brain.handle}/changes/${find(items, type).change}/decide`, {
        decision: 'approved',
      })
    const answer = await app.request('POST', '/v1/runs', {
      key: member.key,
      headers: { prefer: 'wait=30' },
      body: { agentId: find(items, 'agent').id, input: question },
    })
    const { runId } = answer.body.data.run
    const { messages } = (await call('GET', `/v1/runs/${runId}/messages`)).body.data
    expect(messages.at(-1).text).toContain(words)
  }
})

test('D-79d in a Brain whose mode is direct, kinds and content of a pack wait for review all the same', async () => {
  await addBrain(app, member, 'direct')
  const { outcomes } = await install('support-knowledge', { brain: 'direct' })
  expect(outcomes).toContain('brain present')
  const read = (await call('GET', '/v1/brains/direct')).body.data.brain
  expect(read).toMatchObject({ mode: 'direct', name: null })
  expect(read.counts).toMatchObject({ records: 0, documents: 0, pendingChanges: 2 })
})

test('D-79d installing twice is one install, also when both are at once, and says what was there', async () => {
  const body = { brain: 'twice' }
  const all = await Promise.all([1, 2, 3, 4].map(() => install('people-and-conversations', body)))
  const again = await install('people-and-conversations', body)
  const ids = (items: readonly Item[]) => items.map(({ id, change }) => id ?? change)
  for (const one of all) expect(ids(one.items)).toEqual(ids(again.items))
  expect(again.items.every(({ outcome }) => outcome === 'present')).toBe(true)
  expect(await listPending('twice')).toHaveLength(2)
  const triggers = (await call('GET', '/v1/automations/triggers')).body.data.triggers
  expect(
    triggers.filter(
      ({ trigger }: { trigger: { knowledgeGraphId: string } }) => trigger.knowledgeGraphId === again.brain.id,
    ),
  ).toHaveLength(1)
})

test('D-79d an install that failed halfway is gone on with by installing again', async () => {
  await call('PUT', '/v1/brains/half', {})
  await call('PUT', '/v1/brains/half/hold', { reason: 'Not yet.' })
  const refused = await call('POST', '/v1/packs/people-and-conversations/install', { brain: 'half' })
  expect([refused.status, refused.body.error.code]).toEqual([409, 'brain_held'])
  await call('DELETE', '/v1/brains/half/hold')
  const { outcomes } = await install('people-and-conversations', { brain: 'half' })
  expect(outcomes).toEqual([
    ...['brain present', 'agent present', 'agent present', 'trigger present', 'schema staged', 'sample staged'],
  ])
})

test('D-79d a pack for a model that is not there is refused before anything is made', async () => {
  const body = { brain: 'unmade', model: 'nobody/model' }
  const refused = await call('POST', '/v1/packs/people-and-conversations/install', body)
  expect([refused.status, refused.body.error.details[0].path]).toEqual([400, 'body.model'])
  expect((await call('GET', '/v1/brains/unmade')).status).toBe(404)
})

test("people's changes to a pack stay: a changed agent, a rejected proposal, kinds of their own; removed items come back", async () => {
  await addBrain(app, member, 'own')
  const mine = { op: 'addKind', kind: 'product', fields: [{ name: 'sku', type: 'string' }] }
  const evolved = await call('POST', '/v1/brains/own/schema/evolve', { baseVersion: 0, operations: [mine] })
  await call('POST', `/v1/brains/own/changes/${evolved.body.data.change.id}/decide`, { decision: 'approved' })
  const first = await install('support-knowledge', { brain: 'own' })
  const { change } = (await call('GET', `/v1/brains/own/changes/${find(first.items, 'schema').change}`)).body.data
  expect(change.items.map(({ target }: { target: { id: string } }) => target.id)).toEqual(['issue'])
  const [kept, removed] = first.items.filter(({ type }) => type === 'agent')
  await call('PATCH', `/v1/agents/${kept?.id}`, { instructions: 'Mine.' })
  await call('DELETE', `/v1/agents/${removed?.id}`)
  await call('POST', `/v1/brains/own/changes/${find(first.items, 'sample').change}/decide`, { decision: 'rejected' })
  const again = await install('support-knowledge', { brain: 'own' })
  expect(again.outcomes).toEqual([
    'brain present',
    'agent present',
    'agent created',
    'schema present',
    'sample present',
  ])
  expect((await call('GET', `/v1/agents/${kept?.id}`)).body.data.agent).toMatchObject({
    version: 2,
    instructions: 'Mine.',
  })
  expect(await listPending('own')).toHaveLength(1)
})

test('D-79d packs are listed and installed by management keys and members alone', async () => {
  const brain = await addBrain(app, member, 'keys')
  const key = await brain.mintKey(['read', 'write', 'review', 'admin'])
  expect((await app.request('GET', '/v1/packs', { key })).status).toBe(401)
  expect((await app.request('POST', '/v1/packs/research-notes/install', { key, body: {} })).status).toBe(401)
})

const transcript = `Grace Hopper: Good morning. I work at Eckert Computers now.
Howard Aiken: Good to hear. I prefer mornings.
Grace Hopper: I will send the manual by Friday.
Howard Aiken: Thank you.`

/** Waits for the change that proposes something from a document. */
const untilProposed = async (handle: string, text: string) => {
  const proposed = async () => {
    for (const { id } of await listPending(handle)) {
      const { change } = (await call('GET', `/v1/brains/${handle}/changes/${id}`)).body.data
      if (JSON.stringify(change).includes(text)) return change
    }
    return undefined
  }
  await expect.poll(async () => (await proposed()) !== undefined).toBe(true)
  return proposed()
}

const listStatements = (change: { items: { after: object; op: string }[] }) =>
  change.items.flatMap(({ op, after }) => (op === 'statement.assert' ? [after] : []))

test('D-79d RUN-06 a transcript that is dropped into a fresh Brain with the pack becomes statements to review, each citing its quote', async () => {
  await addBrain(app, member, 'team')
  const { items } = await install('people-and-conversations', { brain: 'team' })
  await call('POST', '/v1/brains/team/documents', { id: 'monday', title: 'Monday', text: transcript })
  const change = await untilProposed('team', 'Eckert Computers')
  const source = (quote: string) => [{ document: 'monday', version: 1, quote }]
  expect(listStatements(change)).toMatchObject([
    {
      predicate: 'works at',
      object: { value: 'Eckert Computers' },
      sources: source('I work at Eckert Computers now.'),
    },
    { predicate: 'prefers', object: { value: 'mornings' }, sources: source('I prefer mornings.') },
    {
      ...{ predicate: 'will', object: { value: 'send the manual by Friday' } },
      sources: source('I will send the manual by Friday.'),
    },
  ])
  const runs = (await call('GET', `/v1/runs?agentId=${find(items, 'agent').id}`)).body.data.runs
  expect(runs).toHaveLength(1)
  const approved = await call('POST', `/v1/brains/team/changes/${change.id}/decide`, { decision: 'approved' })
  expect(approved.body.data.change.application).toBe('applied')
  const found = (await call('GET', '/v1/brains/team/records?kind=person&slug=grace-hopper')).body.data.records
  expect(found).toMatchObject([{ id: 'person-grace-hopper', fields: { name: 'Grace Hopper' } }])
})

test('D-79d RUN-06 with a configured model the same pack proposes what the model extracts', async () => {
  await call('PUT', '/v1/providers/scripted', { kind: 'openai-compatible', baseUrl: models.url })
  await addBrain(app, member, 'modelled')
  await install('people-and-conversations', { brain: 'modelled', model: 'scripted/model' })
  const quote = 'I prefer mornings.'
  models.says([
    {
      toolCalls: [{ id: 'a', name: 'knowledge_read', input: { action: 'get_document', id: 'monday' } }],
    },
    {
      toolCalls: [
        {
          ...{ id: 'a', name: 'knowledge_write' },
          input: {
            review: true,
            operations: [
              { op: 'record.put', id: 'person-howard-aiken', kind: 'person', fields: { name: 'Howard Aiken' } },
              {
                ...{ op: 'statement.assert', predicate: 'likes to meet', object: { value: 'in the morning' } },
                subject: { id: 'person-howard-aiken', kind: 'person' },
                sources: [{ document: 'monday', version: 1, quote }],
              },
            ],
          },
        },
      ],
    },
    { text: ['Proposed one statement.'] },
  ])
  await call('POST', '/v1/brains/modelled/documents', { id: 'monday', title: 'Monday', text: transcript })
  const change = await untilProposed('modelled', 'likes to meet')
  expect(listStatements(change)).toMatchObject([
    { predicate: 'likes to meet', sources: [{ document: 'monday', version: 1, quote }] },
  ])
  const [first] = await models.received(1)
  expect(JSON.stringify(first?.body.messages)).toContain('copied letter by letter')
})
