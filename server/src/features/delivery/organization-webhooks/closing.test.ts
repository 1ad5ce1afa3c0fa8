import { expect, test } from 'vitest'
import { addBrain, createMember } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { joinOrganization } from '../../../test/organizations.ts'
import { startReceiver } from '../../../test/receiver.ts'

// Deliveries about runs, when a Brain closes to the person behind a webhook.

const app = useOwnApp()

test('ACC-07 OWH-01 when a Brain closes to the person behind a webhook, no delivery about a run that followed its reader in a conversation can be sent again', async () => {
  const owner = await createMember(app)
  const ben = await joinOrganization(app, owner)
  const brain = await addBrain(app, owner, 'closing')
  const ask = (headers: Record<string, string>, method: string, path: string, body?: object) =>
    app.request(method, path, { headers, ...(body ? { body } : {}) })
  const receiver = await startReceiver()
  const hook = { url: receiver.url, events: ['run.completed'] }
  const { webhook } = (await ask(ben.session, 'POST', '/v1/webhooks', hook)).body.data
  const addAgent = async (name: string, brains: object[]) => {
    const given = { name, instructions: 'Answer.', model: 'noema/extractive', brains }
    return (await ask(owner.session, 'POST', '/v1/agents', given)).body.data.agent.id
  }
  const reader = await addAgent('Reader', [{ handle: 'closing', access: 'read_only' }])
  const talker = await addAgent('Talker', [])
  const { id: conversationId } = (await ask(owner.session, 'POST', '/v1/conversations', {})).body.data.conversation
  for (const [index, [agentId, conversation]] of [
    [reader, { conversationId }],
    [talker, { conversationId }],
    [talker, {}],
  ].entries()) {
    expect((await ask(owner.session, 'POST', '/v1/runs', { agentId, input: 'Who?', ...conversation })).status).toBe(202)
    await receiver.received(index + 1)
  }
  const list = async () => (await ask(ben.session, 'GET', `/v1/webhooks/${webhook.id}/deliveries`)).body.data.deliveries
  const [, , other] = await list()
  const closed = await ask(owner.session, 'PATCH', `${brain.path}/access`, { openTo: 'members' })
  expect(closed.status).toBe(200)
  expect((await list()).map(({ id }: { id: string }) => id)).toEqual([other.id])
  await receiver.close()
})
