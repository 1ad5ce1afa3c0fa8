import { insertOperation, insertRun } from '../../features/agents/run-feeds/run.fixture.ts'
import { leaveFor } from '../../features/retrieval/receipts/receipt.fixture.ts'
import { addBrain, type TestApp, type TestBrain, type TestMember } from '../app.ts'
import { connectApp } from '../apps.ts'
import { newWaitingRun } from '../sample-agents.ts'
import { insist } from './insist.ts'
import { plantDistillation } from './plant-distillation.ts'
import { plantFlow, plantGoal } from './plant-goals.ts'

// A Brain with a secret in everything that it keeps. A secret names its class, which says who may see it: `zqcontent-slug`.

/** The readers of a class of secrets: callers with one of these capabilities; an empty list means managers only. */
export const classes = {
  content: ['read', 'review'],
  structure: ['read', 'review'],
  // Writers learn the schema's rules.
  demand: ['read', 'review', 'write'],
  brain: ['read'],
  reader: ['read'],
  reason: ['review'],
  delivery: ['admin'],
  organization: [],
} as const satisfies Record<string, readonly string[]>

/** The secrets that a text holds. */
export const findSecrets = (text: string): string[] => [...new Set(text.match(/zq[a-z]+-[a-z]+/g) ?? [])]

/** The ids that the calls about planted objects need. */
export type Planted = TestBrain & {
  record: object
  statement: object
  document: object
  landed: string
  revertible: string
  pending: string
  approved: string
  cancellable: string
  decided: string
  receipt: string
  cursor: string
  snapshot: string
  webhook: string
  organizationWebhook: string
  organizationDelivery: string
  brainKey: string
  managementKey: string
  app: string
  grant: string
  run: string
  /** Runs that wait for a person: one is answered, the other cancelled. */
  waiting: string
  task: string
  cancellableRun: string
  connector: string
  project: string
  agent: string
  conversation: string
  artifact: string
  trigger: string
  schedule: string
  eval: string
  evalRun: string
  goal: string
  flow: string
  distillation: string
  pageAgent: string
  share: string
}

const provenance = { source: 'zqcontent-origin' }

const content = {
  record: {
    kind: 'person',
    slug: 'zqcontent-slug',
    fields: { name: 'zqcontent-value', 'zqcontent-fieldname': 1, nested: { deep: ['zqcontent-deep'] } },
    links: [{ predicate: 'zqcontent-link', to: 'other' }],
    provenance,
  },
  statement: {
    subject: { id: 'planted', kind: 'person' },
    predicate: 'zqcontent-predicate',
    object: { value: 'zqcontent-object' },
    confidence: 0.5,
    sources: [{ document: 'planted', quote: 'zqcontent-quote' }],
    provenance,
  },
  document: {
    id: 'planted',
    text: 'What is planted: zqcontent-text.',
    title: 'zqcontent-title',
    source: { name: 'zqcontent-source', uri: 'zq:zqcontent-uri', externalId: 'zqcontent-external' },
    metadata: { note: 'zqcontent-metadata' },
    sequence: { id: 'zqcontent-sequence', position: 1 },
    provenance,
  },
}

const kinds = [
  { kind: 'strict', strict: true, title: 'zqstructure-title', description: 'zqstructure-kind' },
  {
    kind: 'declared',
    fields: [
      { name: 'choice', type: 'enum', values: ['zqdemand-enum'], description: 'zqstructure-field', indexed: true },
    ],
  },
]

const writeContent = async ({ call }: TestBrain): Promise<Pick<Planted, 'landed' | 'revertible'>> => {
  for (const id of ['other', 'twin']) await insist(call('PUT', `/records/${id}`, { kind: 'person' }))
  const { change } = await insist(call('PUT', '/records/planted', content.record))
  await insist(call('PUT', '/records/planted', { ...content.record, fields: { ...content.record.fields, more: 1 } }))
  const retyped = await insist(call('PUT', '/records/retyped', { kind: 'person', fields: content.record.fields }))
  await insist(call('POST', '/statements', { ...content.statement, id: 'planted' }))
  const over = { ...content.statement, id: 'over', predicate: 'was' }
  await insist(call('POST', '/statements', over))
  await insist(call('DELETE', '/statements/over', { reason: 'zqcontent-retraction' }))
  await insist(call('POST', '/documents', content.document))
  const text = '---\nname: planted\ndescription: zqcontent-skill\n---\nzqcontent-instructions\n'
  await insist(call('PUT', '/skills/planted', { files: [{ path: 'SKILL.md', text }] }))
  for (const id of ['doomed', 'approved', 'cancelled'])
    await insist(call('PUT', `/records/${id}`, { ...content.record, slug: id }))
  return { landed: change.id, revertible: retyped.change.id }
}

/** Changes of every state, each with reasons. */
const stageChanges = async ({ call }: TestBrain) => {
  const evolve = async (baseVersion: number, operations: object[]) =>
    (await insist(call('POST', '/schema/evolve', { baseVersion, operations, reason: 'zqreason-staged' }))).change.id
  const decide = (id: string, body: object) =>
    insist(call('POST', `/changes/${id}/decide`, { reason: 'zqreason-decided', ...body }))
  const decided = await evolve(
    0,
    kinds.map((kind) => ({ op: 'addKind', ...kind })),
  )
  await decide(decided, { decision: 'approved' })
  await insist(call('PATCH', '', { reviewRules: { always: ['record.delete'] } }))
  const stage = async (id: string) => (await insist(call('DELETE', `/records/${id}`))).change.id
  const [pending, approved, cancellable] = [await stage('doomed'), await stage('approved'), await stage('cancelled')]
  for (const id of [approved, cancellable]) await decide(id, { decision: 'approved', publish: false })
  return { decided, pending, approved, cancellable }
}

const hook = { url: 'http://127.0.0.1:9/zqdelivery-url', types: ['date.reached'] }

/** Values that no answer contains, for any caller. */
const sealed = { apiKey: 'zqsealed-key', headers: { 'x-planted': 'zqsealed-header' } }

/** A run, as it was journaled. */
const plantRun = async (test: TestApp, organizationId: string): Promise<string> => {
  const { id } = await insertRun(test, organizationId, { state: 'completed' })
  const part = JSON.stringify({ type: 'text-delta', id: '1', delta: 'zqorganization-part' })
  await test.database.pool.query(
    'insert into run_parts (organization_id, run_id, number, part) values ($1, $2, 1, $3)',
    [organizationId, id, part],
  )
  await insertOperation(
    test,
    { organizationId, id },
    { name: 'zqorganization-operation', error: 'zqorganization-error' },
  )
  const message = [{ type: 'text', text: 'zqorganization-message' }]
  await test.database.pool.query(
    `insert into run_messages (organization_id, run_id, id, position, role, parts, text, created_at)
     values ($1, $2, 'msg', 1, 'user', $3, 'zqorganization-text', now())`,
    [organizationId, id, JSON.stringify(message)],
  )
  return id
}

/** Two runs that wait for a person. */
const plantWaiting = async (test: TestApp, owner: TestBrain) => {
  const [{ run: waiting, task }, { run: cancellableRun }] = [
    await newWaitingRun(test, owner),
    await newWaitingRun(test, owner),
  ]
  await test.database.pool.query(`update run_tasks set question = 'zqorganization-question' where id = $1`, [task])
  return { waiting, task, cancellableRun }
}

/** An eval with a run that is done, and a rubric. */
const plantEval = async (test: TestApp, { key, brain, organizationId }: TestBrain) => {
  const send = (path: string, body: object) => insist(test.request('POST', path, { key, body }))
  const criteria = [{ id: 'planted', text: 'zqorganization-criterion' }]
  await insist(test.request('PUT', '/v1/rubrics/planted', { key, body: { criteria } }))
  const made = await send('/v1/evals', {
    name: 'zqorganization-eval',
    target: { brain: brain.handle, read: 'search' },
    cases: [{ id: 'planted', input: 'zqcontent-input', expected: 'zqcontent-expected' }],
    graders: [{ type: 'contains' }],
  })
  const { run } = await send(`/v1/evals/${made.eval.id}/runs`, {})
  await test.database.pool.query(
    `insert into eval_results (organization_id, eval_run_id, case_id, trial, state, output)
     values ($1, $2, 'planted', 9, 'running', 'zqcontent-output')`,
    [organizationId, run.id],
  )
  await test.database.pool.query("update eval_runs set due_at = due_at + interval '1 year' where id = $1", [run.id])
  return { eval: made.eval.id as string, evalRun: run.id as string }
}

const plantOrganization = async (test: TestApp, owner: TestBrain) => {
  const { key, session, brain, organizationId } = owner
  const send = (path: string, body: object) => insist(test.request('POST', path, { key, body }))
  const url = 'http://127.0.0.1:9/zqorganization-url'
  const { webhook } = await send('/v1/webhooks', { url, events: ['knowledge.corrected'] })
  const organizationDelivery = `msg_${brain.handle}`
  await test.database.pool.query(
    `insert into organization_deliveries (id, webhook_id, event, body, state, created_at)
     values ($1, $2, 'knowledge.corrected', '{}', 'failed', now())`,
    [organizationDelivery, webhook.id],
  )
  const expiresAt = new Date(test.clock.now().getTime() + 5 * 86_400_000).toISOString()
  const minted = await insist(
    test.request('POST', '/v1/keys', { headers: session, body: { name: 'zqorganization-key', expiresAt } }),
  )
  const body = { kinds: [{ kind: 'shared', description: 'zqorganization-schema' }] }
  await insist(test.request('PUT', '/v1/schemas/planted', { key, body }))
  await insist(test.request('PUT', '/v1/corpora/planted', { key, body: { parts: [{ brain: brain.handle }] } }))
  await insist(
    test.request('PUT', '/v1/packs/planted', {
      key,
      body: { title: 'zqorganization-pack', description: 'zqorganization-about', purpose: 'zqorganization-purpose' },
    }),
  )
  const provider = { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/zqorganization-provider', ...sealed }
  await insist(test.request('PUT', '/v1/providers/planted', { key, body: provider }))
  const run = await plantRun(test, organizationId)
  const { connector } = await send('/v1/connectors', {
    ...{ name: `zqorganization-${brain.handle}`, url: 'http://127.0.0.1:9/zqorganization-connector' },
    headers: sealed.headers,
  })
  const { project } = await send('/v1/projects', { name: 'zqorganization-project' })
  const model = 'noema/extractive'
  const { agent } = await send('/v1/agents', {
    name: 'zqorganization-agent',
    instructions: 'zqorganization-reported',
    model,
  })
  const trigger = { knowledgeGraphId: brain.id, agentId: agent.id, name: 'zqorganization-trigger', enabled: false }
  const planted = await send('/v1/automations/triggers', trigger)
  const times = { agentId: agent.id, cron: '0 9 * * *', input: 'zqorganization-input', enabled: false }
  const { schedule } = await send('/v1/schedules', times)
  const evals = { ...(await plantEval(test, owner)), ...(await plantDistillation(test, owner, insist)) }
  const { conversation } = await send('/v1/conversations', { title: 'zqorganization-title' })
  const { artifact } = await insist(
    test.request('POST', `/v1/artifacts?path=zqorganization-folder/${brain.handle}.txt`, {
      ...{ key, headers: { 'content-type': 'text/plain' } },
      body: 'zqorganization-file',
    }),
  )
  const { share } = await send(`/v1/runs/${run}/share`, {})
  const app = await connectApp(test, owner, {
    brain: brain.handle,
    metadata: { client_name: 'zqorganization-app' },
  })
  return {
    ...{ organizationWebhook: webhook.id, organizationDelivery, managementKey: minted.key.id },
    ...{ app: app.id, grant: app.grantId },
    ...{
      project: project.id,
      agent: agent.id,
      conversation: conversation.id,
      artifact: artifact.id,
      trigger: planted.trigger.id,
      schedule: schedule.id,
      share: share.id,
      flow: await plantFlow(test, owner),
      goal: await plantGoal(test, owner, agent.id, run),
      run,
      ...evals,
    },
    ...{ connector: connector.id, ...(await plantWaiting(test, owner)) },
  }
}

/** Makes a Brain of a member's organization with a secret in everything that it keeps. */
export const plant = async (test: TestApp, member: TestMember, handle: string): Promise<Planted> => {
  const brain = await addBrain(test, member, handle)
  const { call } = brain
  await insist(call('PUT', '', { name: 'zqbrain-name', purpose: 'zqbrain-purpose' }))
  const written = await writeContent(brain)
  const changes = await stageChanges(brain)
  const { webhook } = await insist(call('POST', '/webhooks', hook))
  const item = { id: 'planned', text: 'zqcontent-snapshot', title: 'zqcontent-plan' }
  const { snapshot } = await insist(call('POST', '/sources/sample/snapshots', { items: [item], complete: true }))
  await insist(call('PUT', '/web-sources/sample', { urls: ['https://pages.example.org/zqcontent-page'] }))
  const { key: brainKey } = await insist(call('POST', '/keys', { name: 'zqorganization-name', capabilities: ['read'] }))
  return {
    ...{ ...brain, ...content, ...written, ...changes },
    ...(await plantOrganization(test, brain)),
    receipt: await leaveFor(test, brain, { consumerId: 'zqreader-consumer' }),
    cursor: (await insist(call('GET', '/events?limit=1'))).cursor,
    ...{ snapshot: snapshot.snapshot, webhook: webhook.id, brainKey: brainKey.id },
  }
}
