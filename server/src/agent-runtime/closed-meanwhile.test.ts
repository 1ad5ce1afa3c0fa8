import { expect, test } from 'vitest'
import { addBrain } from '../test/app.ts'
import { joinOrganization } from '../test/organizations.ts'
import { useRuns } from './use-runs.fixture.ts'

const runs = useRuns()
const { app, scripted } = runs

test('ACC-02 a call that waits for its run is not answered with it once a Brain of the run has closed to the caller', async () => {
  const brain = await addBrain(app, runs.scene.member, 'closing')
  const ben = await joinOrganization(app, runs.scene.member)
  const brains = [{ handle: 'closing', access: 'read_only' }]
  const { id: agentId } = await runs.createAgent({ brains })
  const closed = Promise.withResolvers<void>()
  const sent = scripted.models.requests.length
  scripted.models.says(async () => {
    await closed.promise
    return { text: ['A secret of the Brain.'] }
  })
  const ask = (path: string, body: object, headers: Record<string, string> = {}) =>
    app.request('POST', path, { headers: { ...ben.session, ...headers }, body })
  const messages = [{ role: 'user', content: 'Go.' }]
  const waiting = [
    ask('/v1/runs', { agentId, input: 'Go.' }, { prefer: 'wait=60' }),
    ask('/v1/chat/completions', { model: agentId, messages }),
    ask('/v1/responses', { model: agentId, input: 'Go.' }),
  ]
  const streamed = fetch(`${app.base}/v1/responses`, {
    method: 'POST',
    headers: { ...ben.session, 'content-type': 'application/json' },
    body: JSON.stringify({ model: agentId, input: 'Go.', stream: true }),
  })
  await scripted.models.received(sent + waiting.length + 1)
  const { status } = await app.request('PATCH', `${brain.path}/access`, {
    headers: runs.scene.member.session,
    body: { openTo: 'members' },
  })
  expect(status).toBe(200)
  closed.resolve()
  for (const answer of await Promise.all(waiting)) {
    expect(answer.status).toBe(404)
    expect(JSON.stringify(answer.body)).not.toContain('secret')
  }
  const events = await (await streamed).text()
  expect(events).toContain('response.created')
  expect(events).not.toContain('response.completed')
})

test('ACC-02 a repeated start is not answered with its run once a Brain of the run has closed to the caller', async () => {
  const brain = await addBrain(app, runs.scene.member, 'closed-later')
  const ben = await joinOrganization(app, runs.scene.member)
  const brains = [{ handle: 'closed-later', access: 'read_only' }]
  const { id: agentId } = await runs.createAgent({ brains })
  scripted.models.says(() => ({ text: ['A secret of the Brain.'] }))
  const calls = [
    { path: '/v1/runs', body: { agentId, input: 'Go.' } },
    { path: '/v1/responses', body: { model: agentId, input: 'Go.', background: true } },
  ]
  const ask = ({ path, body }: (typeof calls)[number]) =>
    app.request('POST', path, { headers: { ...ben.session, 'idempotency-key': `once${path}` }, body })
  const [run, response] = await Promise.all(calls.map(ask))
  await runs.ended(run?.body.data.run.runId)
  await runs.ended(response?.body.id)
  const headers = runs.scene.member.session
  await app.request('PATCH', `${brain.path}/access`, { headers, body: { openTo: 'members' } })
  await app.request('PATCH', `/v1/agents/${agentId}`, { headers, body: { brains: [] } })
  for (const call of calls) {
    const { status, body } = await ask(call)
    expect([status, JSON.stringify(body)]).toEqual([404, expect.not.stringContaining('secret')])
  }
})
