import { expect, test } from 'vitest'
import { addBrain, createBrain } from '../../../test/app.ts'
import { useApp, useMember } from '../../../test/harness.ts'
import { insertRun } from '../run-feeds/run.fixture.ts'

const app = useApp()
const member = useMember(app)

test('RUN-08 the overview counts what the organization has by now, and nothing of others', async () => {
  const read = async () => (await app.request('GET', '/v1/overview', { key: member.key })).body.data.overview
  const nothing = { brains: 0, records: 0, statements: 0, documents: 0, agents: 0, openRuns: 0 }
  await (await createBrain(app, 'foreign')).call('POST', '/records', { kind: 'note' })
  expect(await read()).toEqual(nothing)
  const [one, other] = [await addBrain(app, member, 'one'), await addBrain(app, member, 'other')]
  await one.call('PUT', '/records/a', { kind: 'note' })
  await one.call('PUT', '/records/b', { kind: 'note' })
  await one.call('DELETE', '/records/a')
  await other.call('PUT', '/records/c', { kind: 'note' })
  await other.call('POST', '/documents', { text: 'Words.' })
  const subject = { id: 'c', kind: 'note' }
  await other.call('POST', '/statements', { subject, predicate: 'is', object: { value: 1 } })
  const given = { name: 'agent', instructions: 'Answer.', model: 'noema/extractive' }
  const make = () => app.request('POST', '/v1/agents', { key: member.key, body: given })
  const { agent } = (await make()).body.data
  await make()
  await app.request('DELETE', `/v1/agents/${agent.id}`, { key: member.key })
  await insertRun(app, member.organizationId, { state: 'waiting' })
  await insertRun(app, member.organizationId, { state: 'completed' })
  expect(await read()).toEqual({ brains: 2, records: 2, statements: 1, documents: 1, agents: 1, openRuns: 1 })
  await other.call('DELETE', '')
  expect(await read()).toEqual({ ...nothing, brains: 1, records: 1, agents: 1, openRuns: 1 })
})
