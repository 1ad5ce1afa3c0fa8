import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertRun } from '../features/agents/run-feeds/run.fixture.ts'
import { createBrainWebhookWork } from '../features/delivery/brain-webhooks/deliver-webhooks.ts'
import { createOrganizationWebhookWork } from '../features/delivery/organization-webhooks/deliver-to-organizations.ts'
import { createExpansionWork } from '../features/delivery/organization-webhooks/expand-outbox.ts'
import { createDailyMail } from '../features/oversight/notifications/send-daily-mail.ts'
import { type Answered, createMember } from '../test/app.ts'
import { endsCaller } from '../test/endpoints/all.ts'
import { useOwnApp } from '../test/harness.ts'
import { type Receiver, startReceiver } from '../test/receiver.ts'
import { runPass } from '../test/run-pass.ts'
import { newAgent } from '../test/sample-agents.ts'
import { callEverything } from '../test/secrets/call-everything.ts'
import { type Planted, plant } from '../test/secrets/plant.ts'
import { createTurns } from '../workers/turns.ts'
import { createWorkers, type Workers } from '../workers/worker.ts'
import { createClosedSubjects, createSubjects, openStream, type Subject } from './ended-rights.fixture.ts'

// After a right to a Brain ends, nothing of the Brain reaches who had it: by no request, nothing that was open before, and nothing that
// the service sends by itself. Each subject tries every path. All end at once, because open streams take seconds to notice.

const app = useOwnApp({ NOEMA_ROLES: 'http', NOEMA_MAX_BRAIN_WEBHOOKS: '50', NOEMA_MAX_ORGANIZATION_WEBHOOKS: '50' })
const owner = {} as Planted
const { withWebhooks, others } = createSubjects(app, owner)
const closed = createClosedSubjects(app, owner)
const names = Object.keys({ ...withWebhooks, ...others, ...closed })
const hasWebhooks = (name: string): boolean => name in withWebhooks || name in closed
type Ended = Subject & { webhooks: string[]; received: string[]; waited: Answered | undefined; mails: string[] }
const ended = new Map<string, Ended>()
let delivering: Workers
let [ours, theirs] = [{} as Receiver, {} as Receiver]
beforeAll(async () => {
  // The first account administers the service.
  await createMember(app)
  Object.assign(owner, await plant(app, await createMember(app), 'planted'))
  await app.request('PATCH', '/v1/notifications/settings', { headers: owner.session, body: { mail: true, hour: 0 } })
  ours = await startReceiver()
  theirs = await startReceiver()
  for (const { path, expected } of places({ isManager: true }))
    await insist(app.request('POST', path, { key: owner.key, body: { url: ours.url, ...expected } }))
  delivering = startDelivering()
  await endAll()
})
afterAll(async () => {
  await delivering.stop()
  await ours.close()
  await theirs.close()
})

const insist = async (sent: ReturnType<typeof app.request>) => {
  const { status, body } = await sent
  if (status >= 300) throw new Error(JSON.stringify(body))
  return body.data
}

/** Only this delivers here, so that no run goes on by itself, and mail is sent when a test says so. */
const startDelivering = () => {
  const { deps } = app.app
  const workers = createWorkers(
    [
      createTurns(deps, createBrainWebhookWork(deps)),
      createTurns(deps, createExpansionWork({ ...deps, findAgents: async () => [] })),
      createTurns(deps, createOrganizationWebhookWork({ ...deps, findRunTrace: async () => undefined })),
    ],
    deps,
  )
  workers.start()
  return workers
}

/** Two writes to the Brain, the second a correction: the owner's own webhooks receive two events of the Brain and one of the organization. */
const happen = async () => {
  const before = ours.deliveries.length
  const { change, record } = await insist(
    owner.call('POST', '/records', { kind: 'person', fields: { name: 'zqcontent-after' } }),
  )
  await insist(
    owner.call('PATCH', `/records/${record.id}`, { fields: { name: 'zqcontent-right' }, corrects: change.id }),
  )
  await ours.received(before + 3)
}

/** An address that no one listens at. */
const unused = 'http://127.0.0.1:9/'

const places = ({ isManager }: Pick<Subject, 'isManager'>) => [
  { path: `${owner.path}/webhooks`, expected: { types: ['record.accepted'] } },
  ...(isManager ? [{ path: '/v1/webhooks', expected: { events: ['knowledge.corrected'] } }] : []),
]

/** Webhooks of each sort that the subject made, that it turned to itself, and whose secret it saw. */
const takeWebhooks = async (subject: Subject): Promise<string[]> => {
  const { headers } = subject
  const taken = places(subject).map(async ({ path, expected }) => {
    const make = async (url: string, by: object) =>
      `${path}/${(await insist(app.request('POST', path, { ...by, body: { url, ...expected } }))).webhook.id}`
    const [made, turned, seen] = [
      await make(theirs.url, { headers }),
      await make(unused, { key: owner.key }),
      await make(unused, { key: owner.key }),
    ]
    await insist(app.request('PATCH', turned, { headers, body: { url: theirs.url } }))
    await insist(app.request('POST', `${seen}/rotate`, { headers }))
    return [made, turned, seen]
  })
  return (await Promise.all(taken)).flat()
}

/** Opens what a revoked right must close: streams of the Brain and of a run, and a request that waits for a run. */
const openStreams = async ({ headers, isManager }: Subject) => {
  const { cursor } = await insist(owner.call('GET', '/events?newest=1'))
  const tail = await openStream(app, `${owner.path}/events?after=${cursor}`, headers)
  if (!isManager) return { streams: [tail], waiting: undefined, finish: async () => undefined }
  const run = await insertRun(app, owner.organizationId)
  const stream = await openStream(app, `/v1/runs/${run.id}/stream`, headers)
  const body = { agentId: await newAgent(app, owner), input: 'zqorganization-input' }
  const started = await insist(
    app.request('POST', '/v1/runs', { headers: { ...headers, 'idempotency-key': run.id }, body }),
  )
  const wait = { ...headers, prefer: 'wait=60', 'idempotency-key': run.id }
  const waiting = app.request('POST', '/v1/runs', { headers: wait, body })
  /** Ends the run with a result that its readers receive. */
  const finish = async () => {
    await app.database.pool.query(
      'insert into run_parts (organization_id, run_id, number, part) values ($1, $2, 1, $3)',
      [owner.organizationId, run.id, JSON.stringify({ type: 'text-delta', id: '1', delta: 'zqorganization-part' })],
    )
    await insist(app.request('POST', `/v1/runs/${started.run.runId}/cancel`, { key: owner.key, body: {} }))
  }
  return { streams: [tail, stream], waiting, finish }
}

/** The daily mails of people so far. */
const readMails = async (): Promise<{ recipient: string; body: string }[]> => {
  const { rows } = await app.database.pool.query(
    `select recipient, body from mail_outbox where subject like 'Noema: %' order by id`,
  )
  return rows
}

/** Returns the mails of a day in which something needs attention. */
const mailOfDay = async () => {
  const expiresAt = new Date(app.clock.now().getTime() + 10 * 86_400_000).toISOString()
  const body = { name: 'zqorganization-key', expiresAt }
  await insist(app.request('POST', '/v1/keys', { headers: owner.session, body }))
  const before = (await readMails()).length
  app.clock.advance({ days: 1 })
  await runPass(app.app.deps, createDailyMail(app.app.deps))
  return (await readMails()).slice(before)
}

/** A subject with all that may reach it: webhooks where they end with it, and daily mail. */
const prepare = async ([name, open]: [string, () => Promise<Subject>]) => {
  const subject = await open()
  const body = { mail: true, hour: 0 }
  if (subject.email !== undefined)
    await insist(app.request('PATCH', '/v1/notifications/settings', { headers: subject.headers, body }))
  return { name, subject, webhooks: hasWebhooks(name) ? await takeWebhooks(subject) : [] }
}

const endAll = async () => {
  const prepared = []
  for (const one of Object.entries({ ...withWebhooks, ...others, ...closed })) prepared.push(await prepare(one))
  await happen()
  // Two of the three webhooks that a subject has at a place send to it.
  const places = prepared.filter(({ name }) => hasWebhooks(name)).map(({ subject }) => (subject.isManager ? 6 : 4))
  await theirs.received(places.reduce((sum, events) => sum + events, 0))
  theirs.deliveries.length = 0
  const open = await Promise.all(prepared.map(async (one) => ({ ...one, opened: await openStreams(one.subject) })))
  for (const { subject } of prepared) await subject.end()
  const received = await Promise.all(open.map(({ opened }) => Promise.all(opened.streams.map(({ text }) => text))))
  await happen()
  for (const { opened } of open) await opened.finish()
  const mails = await mailOfDay()
  expect(mails.map(({ recipient }) => recipient)).toContain(owner.email)
  for (const [index, { name, subject, webhooks, opened }] of open.entries())
    ended.set(name, {
      ...{ ...subject, webhooks, received: received[index] ?? [], waited: await opened.waiting },
      mails: mails.filter(({ recipient }) => recipient === subject.email).map(({ body }) => body),
    })
}

/** The states of webhooks: paused until someone sends the address again, or gone. */
const readStates = (paths: readonly string[]) =>
  Promise.all(
    paths.map(async (path) => {
      const { status, body } = await app.request('GET', path, { key: owner.key })
      if (status === 404) return 'gone'
      return body.data.webhook.paused ? 'paused' : 'sending'
    }),
  )

const find = (name: string): Ended => {
  const found = ended.get(name)
  if (!found) throw new Error(`${name} was not ended.`)
  return found
}

/** These make things of the caller's own, or delete the caller. */
const leftOut = ['brains.put', 'packs.install', ...endsCaller]

test.each(names)(
  'AUT-20 ACC-02 after its right ends, no request, open stream or mail gives anything to %s',
  async (name) => {
    const { headers, isManager, keepsOrganization, received, waited, mails } = find(name)
    expect(received).toHaveLength(isManager ? 2 : 1)
    for (const text of received) expect(text).not.toMatch(/^data:/m)
    expect(waited?.status).toBe(isManager ? 401 : undefined)
    expect(mails).toEqual([])
    // Their run would wait for a node with agents.
    const waiting = keepsOrganization ? ['openai.chat.completions'] : []
    const reported = await callEverything(app, owner, headers, [...leftOut, ...waiting])
    const isOfBrain = (secret: string) => !keepsOrganization || !secret.startsWith('zqorganization-')
    expect(reported.filter(({ secrets }) => secrets.some(isOfBrain))).toEqual([])
  },
)

test.each(names.filter(hasWebhooks))('AUT-20 webhooks send nothing to %s', async (name) => {
  const { webhooks } = find(name)
  expect(webhooks.length).toBeGreaterThan(2)
  expect(await readStates(webhooks)).not.toContain('sending')
  expect(theirs.deliveries).toEqual([])
})
