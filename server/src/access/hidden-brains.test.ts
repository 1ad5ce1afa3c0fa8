import { beforeAll, expect, test } from 'vitest'
import { insertRun } from '../features/agents/run-feeds/run.fixture.ts'
import { createMember } from '../test/app.ts'
import { endsCaller } from '../test/endpoints/all.ts'
import { useOwnApp } from '../test/harness.ts'
import { joinOrganization } from '../test/organizations.ts'
import { callEverything } from '../test/secrets/call-everything.ts'
import { type Planted, plant } from '../test/secrets/plant.ts'

// A Brain that is open to its owner only, next to an open one, and the members whom it does not name: no answer, list or count holds
// anything of it, or of the agents, runs and webhooks that may hold its content.

// Runs end, as calls in the format of OpenAI wait for theirs.
const app = useOwnApp()
type Guest = Awaited<ReturnType<typeof joinOrganization>>
let planted = {} as Planted
let [member, admin] = [{} as Guest, {} as Guest]
const ids = { agent: '', run: '', child: '', conversation: '', schedule: '', trigger: '', webhook: '' }

const ask = async (who: { session: Record<string, string> }, method: string, path: string, body?: object) =>
  app.request(method, path, { headers: who.session, ...(body ? { body } : {}) })
const read = async (who: { session: Record<string, string> }, path: string) => (await ask(who, 'GET', path)).body.data

const insist = async (sent: ReturnType<typeof ask>) => {
  const { status, body } = await sent
  if (status >= 300) throw new Error(JSON.stringify(body))
  return body.data
}

/** An agent on the Brain, with a run in a conversation, the run that it started, a trigger, a schedule and a webhook. */
const addWork = async () => {
  const make = (path: string, body: object) => insist(ask(planted, 'POST', path, body))
  const brains = [{ handle: 'planted', access: 'read_only' }]
  const given = { name: 'zqhidden-agent', instructions: 'zqhidden-text', model: 'noema/extractive', brains }
  ids.agent = (await make('/v1/agents', given)).agent.id
  ids.conversation = (await make('/v1/conversations', { title: 'zqhidden-title' })).conversation.id
  ids.run = (await insertRun(app, planted.organizationId, { state: 'completed' })).id
  ids.child = (await insertRun(app, planted.organizationId, { state: 'completed' })).id
  const { pool } = app.database
  await pool.query(
    `insert into run_brains (brain_id, organization_id, run_id, access)
     select brain_id, organization_id, $1, 'read_only' from brains where id = $2`,
    [ids.child, planted.brain.id],
  )
  await pool.query(`update runs set parent_run_id = $1 where id = $2`, [ids.run, ids.child])
  await pool.query(`update runs set conversation_id = $1, input = '"zqhidden-input"' where id = $2`, [
    ids.conversation,
    ids.run,
  ])
  ids.trigger = (
    await make('/v1/automations/triggers', { brain: 'planted', agentId: ids.agent, name: 'zqhidden-trigger' })
  ).trigger.id
  const times = { agentId: ids.agent, cron: '0 9 * * *', input: 'zqhidden-schedule', enabled: false }
  ids.schedule = (await make('/v1/schedules', times)).schedule.id
  const hook = { url: 'http://127.0.0.1:9/zqhidden-url', events: ['knowledge.corrected'], scope: { brain: 'planted' } }
  ids.webhook = (await make('/v1/webhooks', hook)).webhook.id
}

beforeAll(async () => {
  await createMember(app)
  planted = await plant(app, await createMember(app), 'planted')
  member = await joinOrganization(app, planted)
  admin = await joinOrganization(app, planted, 'admin')
  await addWork()
  await insist(ask(planted, 'PUT', '/v1/brains/open'))
  await insist(ask(planted, 'PATCH', `${planted.path}/access`, { openTo: 'members' }))
})

const paths = () => [
  ...[`/v1/agents/${ids.agent}`, `/v1/agents/${ids.agent}/versions`, `/v1/schedules/${ids.schedule}`],
  ...[`/v1/runs/${ids.run}`, `/v1/runs/${ids.child}`, `/v1/runs/${ids.run}/messages`, `/v1/runs/${ids.run}/operations`],
  ...[`/v1/conversations/${ids.conversation}`, `/v1/conversations/${ids.conversation}/messages`],
  ...[
    `/v1/automations/triggers/${ids.trigger}`,
    `/v1/webhooks/${ids.webhook}`,
    `/v1/webhooks/${ids.webhook}/deliveries`,
  ],
]

test('ACC-04 items that may hold content of a hidden Brain are missing for members whom it does not name', async () => {
  for (const path of paths()) {
    const answers = [await ask(planted, 'GET', path), await ask(member, 'GET', path), await ask(admin, 'GET', path)]
    expect([path, answers.map(({ status }) => status)]).toEqual([path, [200, 404, 404]])
    // The refusal is that of an id that nothing has.
    const id = path.split('/').find((part) => /^[a-z]{3}_/.test(part)) ?? ''
    const missing = await ask(member, 'GET', path.replace(id, `${id.slice(0, 4)}none`))
    expect(answers[1]?.body.error.message.replace(id, '')).toBe(
      missing.body.error.message.replace(`${id.slice(0, 4)}none`, ''),
    )
  }
})

test('ACC-04 lists and counts leave out the Brain and what belongs to it', async () => {
  const lists = async (who: { session: Record<string, string> }) => ({
    brains: (await read(who, '/v1/brains')).brains.map(({ handle }: { handle: string }) => handle),
    changes: (await read(who, '/v1/changes')).changes.length > 0,
    agents: (await read(who, '/v1/agents')).agents.some(({ id }: { id: string }) => id === ids.agent),
    runs: (await read(who, '/v1/runs')).runs.some(({ runId }: { runId: string }) =>
      [ids.run, ids.child].includes(runId),
    ),
    conversations: (await read(who, '/v1/conversations')).conversations.some(
      ({ id }: { id: string }) => id === ids.conversation,
    ),
    schedules: (await read(who, '/v1/schedules')).schedules.some(({ id }: { id: string }) => id === ids.schedule),
    triggers: (await read(who, '/v1/automations/triggers')).triggers.length,
    webhooks: (await read(who, '/v1/webhooks')).webhooks.length,
    waiting: (await read(who, '/v1/notifications')).waiting.changes > 0,
    counted: (await read(who, '/v1/overview')).overview.records > 0,
  })
  const all = {
    changes: true,
    agents: true,
    runs: true,
    conversations: true,
    schedules: true,
    waiting: true,
    counted: true,
  }
  expect(await lists(planted)).toEqual({ brains: ['open', 'planted'], ...all, triggers: 2, webhooks: 2 })
  const none = Object.fromEntries(Object.keys(all).map((name) => [name, false]))
  for (const who of [member, admin])
    expect(await lists(who)).toEqual({ brains: ['open'], ...none, triggers: 0, webhooks: 0 })
})

test('ACC-04 nothing can be started or set up on what is hidden, with the refusal of what is not there', async () => {
  const refused = [
    ['/v1/runs', { agentId: ids.agent, input: 'hello' }],
    ['/v1/schedules', { agentId: ids.agent, cron: '0 9 * * *', input: 'hello' }],
    ['/v1/conversations', { agentId: ids.agent }],
    ['/v1/automations/triggers', { brain: 'planted', agentId: ids.agent, name: 'mine' }],
    [
      '/v1/agents',
      { name: 'a', instructions: '', model: 'noema/extractive', brains: [{ handle: 'planted', access: 'read_only' }] },
    ],
    ['/v1/agents', { name: 'a', instructions: '', model: 'noema/extractive', tools: [{ agent: ids.agent }] }],
    ['/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['run.failed'], scope: { brain: 'planted' } }],
    ['/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['run.failed'], scope: { agentId: ids.agent } }],
  ] as const
  for (const [path, body] of refused) {
    const hidden = await ask(member, 'POST', path, body)
    const missing = await ask(
      member,
      'POST',
      path,
      JSON.parse(JSON.stringify(body).replaceAll(ids.agent, 'agt_none').replaceAll('"planted"', '"missing"')),
    )
    const toText = ({ status, body: { error } }: typeof hidden) =>
      `${status} ${error?.message}`.replaceAll(/"(agt_\w+|planted|missing)"/g, '…')
    expect([path, hidden.status >= 400]).toEqual([path, true])
    expect(toText(hidden)).toBe(toText(missing))
  }
  const taken = await ask(member, 'PUT', '/v1/brains/planted', {})
  expect(taken).toMatchObject({ status: 409, body: { error: { code: 'handle_taken' } } })
  const installed = await ask(member, 'POST', '/v1/packs/research-notes/install', { brain: 'planted' })
  expect(installed.body.error.code).toBe('handle_taken')
})

test('ACC-04 AUD-01 admins see nothing of the Brain in the audit log; owners do', async () => {
  const audited = async (who: { session: Record<string, string> }) =>
    JSON.stringify(await read(who, '/v1/audit?limit=500'))
  expect(await audited(admin)).not.toMatch(/"brain":"planted"|"type":"brain",[^}]*planted|zqbrain-|zqhidden-/)
  expect(await audited(planted)).toMatch(/brain\.access_changed/)
})

test('ACC-04 no answer to a member who is not named holds anything of the Brain, by any endpoint', async () => {
  const reported = await callEverything(app, planted, member.session, endsCaller)
  expect(reported.length).toBeGreaterThan(150)
  const secrets = reported.flatMap(({ name, secrets: found }) =>
    found
      .filter((one) => !one.startsWith('zqorganization-') || one === 'zqorganization-trigger')
      .map((one) => `${name} ${one}`),
  )
  expect(secrets).toEqual([])
})
