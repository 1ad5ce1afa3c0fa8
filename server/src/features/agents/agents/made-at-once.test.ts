import { expect, test } from 'vitest'
import { useAgents } from './use-agents.fixture.ts'

const { app, scene, call, given, createAgent } = useAgents({ NOEMA_ROLES: 'http' })

test('D-71 many clients make an agent and start a run at once, and none is refused', async () => {
  const brains = [{ handle: 'brain', access: 'read_only' }]
  const work = async () => {
    const { status, body } = await call('POST', '/v1/agents', { ...given, brains })
    if (status !== 201) return [status, body.error]
    const run = await call('POST', '/v1/runs', { agentId: body.data.agent.id, input: 'Which one?' })
    return [status, run.status]
  }
  const done = await Promise.all(Array.from({ length: 40 }, work))
  expect(done.filter(([made, started]) => made !== 201 || started !== 202)).toEqual([])
})

/** The tables whose rows the statement that waits for a lock has written before in its transaction. */
const writtenByWaiting = async () => {
  const { rows } = await app.database.pool.query<{ name: string }>(`
    select distinct held.relation::regclass::text as name
    from pg_stat_activity as waiting join pg_locks as held using (pid)
    where waiting.datname = current_database() and waiting.wait_event_type = 'Lock'
      and held.mode = 'RowExclusiveLock' and held.relation::regclass::text in ('agents', 'agent_versions', 'audit_entries')`)
  return rows.map(({ name }) => name).sort()
}

test('D-71 an agent is written before the lock that all wait for, which is held for the count and the commit alone', async () => {
  const agent = await createAgent()
  const holder = await app.database.pool.connect()
  for (const write of [
    () => call('POST', '/v1/agents', given),
    () => call('PATCH', `/v1/agents/${agent.id}`, { name: 'Other' }),
  ]) {
    await holder.query('begin')
    await holder.query('select from organization where id = $1 for no key update', [scene.brain.organizationId])
    const written = write()
    await expect.poll(writtenByWaiting).toEqual(['agent_versions', 'agents', 'audit_entries'])
    await holder.query('rollback')
    expect([200, 201]).toContain((await written).status)
  }
  holder.release()
})
