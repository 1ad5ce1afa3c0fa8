import { expect, test } from 'vitest'
import { createMember } from '../test/app.ts'
import { useOwnApp } from '../test/harness.ts'

// Runs by the operator's keys that are refused before anything is called (R6).

const app = useOwnApp({ NOEMA_OPENAI_API_KEY: 'shared-key', NOEMA_TIERS: '{"free":{"dailyModelCents":0}}' })

const runShared = async ({ key }: { key: string }) => {
  const agent = { name: 'Reader', instructions: 'Answer.', model: 'openai/gpt-5' }
  const { id } = (await app.request('POST', '/v1/agents', { key, body: agent })).body.data.agent
  const headers = { prefer: 'wait=30' }
  const body = { agentId: id, input: 'Go.' }
  return (await app.request('POST', '/v1/runs', { key, headers, body })).body.data.run
}
const testShared = async ({ key }: { key: string }) =>
  (await app.request('POST', '/v1/providers/openai/test', { key, body: { model: 'gpt-5' } })).body.error

test("D-78c a run by the operator's key fails with limit beyond the budget, and a test is 429", async () => {
  const member = await createMember(app)
  const run = await runShared(member)
  expect(run).toMatchObject({ state: 'failed', failureCategory: 'limit' })
  expect(run.failureReason).toContain("the operator's key")
  expect(await testShared(member)).toMatchObject({ kind: 'rate_limited', code: 'model_cap' })
})

test("D-78c the operator's keys do not serve an organization whose owner has not confirmed their address", async () => {
  const member = await createMember(app, { verified: false })
  const run = await runShared(member)
  expect(run).toMatchObject({ state: 'failed', failureCategory: 'limit' })
  expect(run.failureReason).toContain('Confirm your address')
  expect(await testShared(member)).toMatchObject({ kind: 'conflict', code: 'email_not_verified' })
})
