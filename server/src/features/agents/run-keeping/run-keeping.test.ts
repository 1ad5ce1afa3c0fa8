import { expect, test } from 'vitest'
import { addBrain } from '../../../test/app.ts'
import { useMember, useOwnApp } from '../../../test/harness.ts'
import { eraseDeliveries } from '../../delivery/organization-webhooks/delivery-queries.ts'
import { createPartWriter } from '../parts/part-writer.ts'
import { appendParts } from '../parts/stored-parts.ts'
import { openReader } from '../run-feeds/reader.fixture.ts'
import { endRunRow, insertOperation, insertRun } from '../run-feeds/run.fixture.ts'
import { eraseRunsOfBrain } from './run-keeping.ts'

// No node works on runs here: what is kept of them is written by hand.
const app = useOwnApp({ NOEMA_RUN_DAYS: '30' })
const member = useMember(app)

const secret = 'zq-secret-of-a-brain'
const tables = ['runs', 'run_claims', 'run_operations', 'run_messages', 'run_parts', 'run_tasks', 'run_brains']

const query = (text: string, values: unknown[] = []) => app.database.pool.query(text, values)
const work = (name: string) => app.app.workers.find((worker) => worker.name === name)?.run()

/** The tables that contain a text in any column. */
const findTables = async (text: string): Promise<string[]> => {
  const found: string[] = []
  for (const table of tables) {
    const { rows } = await query(`select from ${table} as row where row::text like $1 limit 1`, [`%${text}%`])
    if (rows.length > 0) found.push(table)
  }
  return found
}

type Run = Awaited<ReturnType<typeof insertRun>>

/** A run with a secret in everything that it keeps. */
const plantRun = async (
  brainId: number | undefined,
  state: string,
  columns: Record<string, string> = {},
): Promise<Run> => {
  const run = await insertRun(app, member.organizationId, { state })
  const content = JSON.stringify({ text: secret })
  const sets = { input: content, output: content, metadata: content, failure_reason: secret, ...columns }
  const names = Object.keys(sets)
  await query(`update runs set ${names.map((name, index) => `${name} = $${index + 2}`).join(', ')} where id = $1`, [
    run.id,
    ...Object.values(sets),
  ])
  const id = await insertOperation(app, run, { input: content, output: content, error: secret })
  await query(
    `insert into run_messages (organization_id, run_id, id, position, role, parts, text, operation_id, created_at)
     values ($1, $2, $3, 1, 'assistant', $4, $5, $6, now())`,
    [run.organizationId, run.id, `msg_${run.id}`, JSON.stringify([{ type: 'text', text: secret }]), secret, id],
  )
  await query(
    `insert into run_tasks (organization_id, id, run_id, agent_id, operation_id, state, question, options, answer, created_at)
     values ($1, $2, $3, 'agt_sample', $4, 'completed', $5, $6, $5, now())`,
    [run.organizationId, `tsk_${run.id}`, run.id, id, secret, JSON.stringify([secret])],
  )
  const part = { type: 'text-delta', id: '1', delta: secret } as const
  await appendParts(app.app.db, { organizationId: run.organizationId, id: run.id }, [{ part }])
  if (brainId !== undefined)
    await query(`insert into run_brains (brain_id, organization_id, run_id, access) values ($1, $2, $3, 'read_only')`, [
      ...[brainId, run.organizationId, run.id],
    ])
  return run
}

const addWithId = async (handle: string) => {
  const brain = await addBrain(app, member, handle)
  const { rows } = await query('select brain_id as id from brains where id = $1', [brain.brain.id])
  return { brain, brainId: rows[0].id as number }
}

test('D-79b deleting a Brain erases what journals, messages, streams and tasks hold of it, in all runs that it may have come to', async () => {
  const { brain, brainId } = await addWithId('erased')
  const other = await addWithId('kept')
  const parent = await plantRun(undefined, 'completed')
  const reaching = await plantRun(brainId, 'completed', { parent_run_id: parent.id, conversation_id: 'cnv_1' })
  const child = await plantRun(other.brainId, 'completed', { parent_run_id: reaching.id })
  const following = await plantRun(undefined, 'completed', { conversation_id: 'cnv_1' })
  const before = await findTables(secret)
  expect(before).toEqual(['runs', 'run_operations', 'run_messages', 'run_parts', 'run_tasks'])
  await app.request('DELETE', brain.path, { key: member.key })
  await work('erase deleted Brains')
  expect(await findTables(secret)).toEqual([])
  const { rows } = await query('select from run_brains where brain_id = $1', [brainId])
  expect(rows).toEqual([])
  // The operations and their actors remain.
  for (const { id } of [parent, reaching, child, following]) {
    expect((await app.request('GET', `/v1/runs/${id}`, { key: member.key })).body.data.run.state).toBe('completed')
    const { body } = await app.request('GET', `/v1/runs/${id}/operations`, { key: member.key })
    expect(body.data.operations).toMatchObject([{ name: 'search', status: 'succeeded' }])
    expect(await (await openReader(app.base, id, { key: member.key })).all()).toEqual([
      { id: undefined, part: '[DONE]' },
    ])
  }
})

test('D-79b OWH-02 deleting a Brain erases the outputs of its runs from past and future deliveries of webhooks', async () => {
  const { brain, brainId } = await addWithId('reported')
  const other = await addWithId('reported-elsewhere')
  const events = ['run.completed', 'run.failed']
  const hook = { url: 'http://127.0.0.1:9/', events }
  const made = await app.request('POST', '/v1/webhooks', { key: member.key, body: hook })
  const webhook = made.body.data.webhook.id
  const emit = (run: Run, event: string, data: object, wait = '0') =>
    query(
      `insert into outbox (organization_id, event, at, data, wanted_by, due_at)
       values ($1, $2, now(), $3, $4, now() + $5::interval)`,
      [member.organizationId, event, JSON.stringify({ runId: run.id, ...data }), [webhook], wait],
    )
  const [completed, failed, kept] = [
    await plantRun(brainId, 'completed'),
    await plantRun(brainId, 'failed'),
    await plantRun(other.brainId, 'completed'),
  ]
  const read = async (table: string, column: string) =>
    (await query(`select ${column}::text as text from ${table} order by id`)).rows.map(({ text }) => text as string)
  await emit(completed, 'run.completed', { state: 'completed', output: { answer: secret } })
  await emit(failed, 'run.failed', { state: 'failed', failureReason: secret })
  await emit(kept, 'run.completed', { state: 'completed', output: { answer: secret } })
  await work('make deliveries to organizations')
  await expect.poll(async () => (await read('organization_deliveries', 'body')).length).toBe(3)
  await emit(completed, 'run.completed', { state: 'completed', output: { answer: secret } }, '1 hour')
  await app.request('DELETE', brain.path, { key: member.key })
  await work('erase deleted Brains')
  const bodies = (await read('organization_deliveries', 'body')).map((body) => JSON.parse(body))
  expect(bodies.map(({ data }) => data)).toEqual(
    expect.arrayContaining([
      { runId: completed.id, state: 'completed' },
      { runId: failed.id, state: 'failed', failureReason: 'Erased.' },
      { runId: kept.id, state: 'completed', output: { answer: secret } },
    ]),
  )
  expect((await read('outbox', 'data')).map((data) => JSON.parse(data))).toEqual([
    { runId: completed.id, state: 'completed' },
  ])
  await query('delete from runs where id = $1', [kept.id])
  for (const table of tables.filter((name) => name !== 'runs'))
    await query(`delete from ${table} where run_id = $1`, [kept.id])
})

test('D-79b runs of other Brains keep theirs', async () => {
  const { brain } = await addWithId('gone')
  const other = await addWithId('stays')
  const run = await plantRun(other.brainId, 'completed')
  await app.request('DELETE', brain.path, { key: member.key })
  await work('erase deleted Brains')
  const { body } = await app.request('GET', `/v1/runs/${run.id}/operations`, { key: member.key })
  expect(body.data.operations).toMatchObject([{ input: { text: secret } }])
  await query('delete from runs where id = $1', [run.id])
  for (const table of tables.filter((name) => name !== 'runs'))
    await query(`delete from ${table} where run_id = $1`, [run.id])
})

test('D-79b a run that goes on fails when a Brain that it could reach is deleted, and nothing is written of it after', async () => {
  const { brain, brainId } = await addWithId('in-use')
  const run = await plantRun(brainId, 'running')
  const writer = createPartWriter(app.app.deps, run)
  const live = await openReader(app.base, run.id, { key: member.key })
  expect(await live.take(1)).toHaveLength(1)
  await app.request('DELETE', brain.path, { key: member.key })
  await work('erase deleted Brains')
  const { body } = await app.request('GET', `/v1/runs/${run.id}`, { key: member.key })
  expect(body.data.run).toMatchObject({ state: 'failed', failureCategory: 'tool' })
  await writer.write('opr_late', [{ type: 'text-delta', id: 'opr_late:1', delta: secret.repeat(10_000) }])
  expect(await writer.write('opr_late', [])).toBe(false)
  expect(await findTables(secret)).toEqual([])
  expect((await live.all()).at(-1)?.part).toBe('[DONE]')
})

/** Erases what runs hold of a Brain, as its worker does; `meanwhile` is called before each run ends. */
const eraseRuns = (brainId: number, meanwhile: (run: { id: string }) => Promise<unknown>) => {
  const { deps } = app.app
  const end: typeof deps.runs.end = async (given) => {
    await meanwhile(given)
    return deps.runs.end(given)
  }
  const turn = { stopping: new AbortController().signal, renew: async () => true }
  const work = { db: deps.db, runs: { end }, eraseReports: eraseDeliveries.bind(undefined, deps.db) }
  return eraseRunsOfBrain(work, brainId, turn)
}

test('D-79b a run that starts while its parent fails with a deleted Brain, or follows one, holds nothing of the Brain', async () => {
  const { brainId } = await addWithId('raced')
  const run = await plantRun(brainId, 'running', { conversation_id: 'cnv_raced' })
  const following = await insertRun(app, member.organizationId, { state: 'queued' })
  await query(`update runs set conversation_id = 'cnv_raced', lease = null where id = $1`, [following.id])
  // The next run of a conversation reads its messages as soon as it begins.
  await query(`create function read_earlier() returns trigger language plpgsql as $$
    begin
      new.input = (select json_agg(text) from run_messages where run_id = '${run.id}');
      return new;
    end $$`)
  await query(`create trigger read_earlier before update of due_at on runs for each row
    when (old.id = '${following.id}' and new.due_at is not null) execute function read_earlier()`)
  let started: Run | undefined
  expect(
    await eraseRuns(brainId, async () => {
      started = await plantRun(undefined, 'running', { parent_run_id: run.id })
    }),
  ).toBe(true)
  await query('drop trigger read_earlier on runs')
  const read = async (id: string | undefined) =>
    (await query('select state, input from runs where id = $1', [id])).rows[0]
  expect((await read(following.id)).input).toEqual([''])
  expect((await read(started?.id)).state).toBe('abandoned')
  expect(await findTables(secret)).toEqual([])
})

test('D-79b a follower of a run that ended by itself in that moment is erased with it', async () => {
  const { brainId } = await addWithId('ended-meanwhile')
  const run = await plantRun(brainId, 'running', { conversation_id: 'cnv_ended' })
  let following: Run | undefined
  expect(
    await eraseRuns(brainId, async ({ id }) => {
      if (id !== run.id || following) return
      await endRunRow(app, run)
      following = await plantRun(undefined, 'running', { conversation_id: 'cnv_ended' })
    }),
  ).toBe(true)
  const { rows } = await query('select state from runs where id = $1', [following?.id])
  expect(rows).toEqual([{ state: 'failed' }])
  expect(await findTables(secret)).toEqual([])
})

test('D-79b OWH-02 a delivery that is made while a Brain is erased contains nothing of it', async () => {
  const { brainId } = await addWithId('reported-meanwhile')
  const run = await plantRun(brainId, 'completed')
  const hook = { url: 'http://127.0.0.1:9/', events: ['run.completed'] }
  const made = await app.request('POST', '/v1/webhooks', { key: member.key, body: hook })
  const data = { runId: run.id, state: 'completed', output: { answer: secret } }
  const { rows } = await query(
    `insert into outbox (organization_id, event, at, data, due_at)
     values ($1, 'run.completed', now(), $2, now() + interval '1 hour') returning id`,
    [member.organizationId, JSON.stringify(data)],
  )
  const client = await app.database.pool.connect()
  await client.query('begin')
  await client.query('delete from outbox where id = $1', [rows[0].id])
  await client.query(
    `insert into organization_deliveries (id, webhook_id, event, body, run_id, created_at, next_attempt_at, due_at)
     values ('dlv_meanwhile', $1, 'run.completed', $2, $3, now(), now() + interval '1 hour', now() + interval '1 hour')`,
    [made.body.data.webhook.id, JSON.stringify({ event: 'run.completed', data }), run.id],
  )
  const erasing = eraseRuns(brainId, async () => undefined)
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(async () => (await query(waiting)).rows).toHaveLength(1)
  await client.query('commit')
  client.release()
  expect(await erasing).toBe(true)
  const reported = await query(`select body from organization_deliveries where id = 'dlv_meanwhile'`)
  expect(JSON.parse(reported.rows[0].body).data).toEqual({ runId: run.id, state: 'completed' })
})

test('D-79b runs are deleted some days after their end, a few at a time, with everything of theirs', async () => {
  const old = []
  for (let n = 0; n < 60; n++) old.push(await insertRun(app, member.organizationId, { state: 'completed' }))
  const [first] = old
  if (!first) throw new Error('no run')
  await insertOperation(app, first)
  await query(
    `insert into run_claims (organization_id, sender, key, fingerprint, project_id, run_id) values ($1, 's', 'k', '', 'p', $2)`,
    [first.organizationId, first.id],
  )
  await query(`update runs set completed_at = $1 where id = any($2)`, [app.clock.now(), old.map(({ id }) => id)])
  const open = await insertRun(app, member.organizationId)
  app.clock.advance({ days: 29 })
  await work('forget old runs')
  expect((await app.request('GET', `/v1/runs/${first.id}`, { key: member.key })).status).toBe(200)
  app.clock.advance({ days: 2 })
  await work('forget old runs')
  for (const { id } of old) expect(await findTables(id)).toEqual([])
  expect((await app.request('GET', `/v1/runs/${first.id}/stream`, { key: member.key })).status).toBe(404)
  expect((await app.request('GET', `/v1/runs/${open.id}`, { key: member.key })).status).toBe(200)
})
