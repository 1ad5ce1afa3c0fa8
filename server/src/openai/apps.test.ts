import { beforeAll, expect, test } from 'vitest'
import { connectApp, createRpc } from '../test/apps.ts'
import { refused, useOpenAi } from './scene.fixture.ts'

// Apps that a member let in to the agents of the organization use them as models, with the official client of OpenAI.

const { runs, connect, clients, says, newestRun } = useOpenAi()
type Person = Parameters<typeof connectApp>[1]
let person: Person
beforeAll(() => {
  person = runs.scene.member
})

const letIn = (capabilities: readonly string[], more: object = {}) =>
  connectApp(runs.app, person, { brain: null, resource: '/v1', capabilities, ...more })
const ask = (stream = false) => ({
  ...{ model: clients.quoting.name, stream: stream as false },
  messages: [{ role: 'user' as const, content: 'When does the warehouse in Lyon open?' }],
})
const changeGrant = (method: 'PATCH' | 'DELETE', { id, grantId }: { id: string; grantId: string }, body?: object) =>
  runs.app.request(method, `/v1/apps/${id}/grants/${grantId}`, { key: person.key, ...(body ? { body } : {}) })

test('RUN-09 APP-08 an app that asks for the base URL of models lists and asks agents, under its grant', async () => {
  const app = await letIn(['read', 'write'])
  const openai = connect(app.accessToken)
  expect((await openai.models.list()).data.map(({ id }) => id)).toContain(clients.quoting.name)
  const { choices } = await openai.chat.completions.create(ask())
  expect(choices[0]?.message.content).toContain('six')
  const { id } = await openai.responses.create({ model: clients.quoting.name, input: 'Who manages Lyon?' })
  expect((await openai.responses.retrieve(id)).status).toBe('completed')
  expect(JSON.stringify(await newestRun())).toContain(app.grantId)
  // One grant, at the agents: the MCP server takes the same token.
  expect((await createRpc(runs.app).rpc(app.accessToken, '/v1/mcp')).status).toBe(200)
})

test('APP-03 an app that may read lists agents and starts no run; that of a Brain reaches neither', async () => {
  const reader = connect((await letIn(['read'])).accessToken)
  expect((await reader.models.list()).data).not.toEqual([])
  expect(await refused(reader.chat.completions.create(ask()))).toMatchObject({ status: 403, type: 'permission_error' })
  const ofBrain = await letIn(['read', 'write'], { brain: 'brain', resource: undefined })
  const stranger = connect(ofBrain.accessToken)
  for (const call of [stranger.models.list(), stranger.chat.completions.create(ask())]) {
    const { status, headers } = await refused(call)
    expect([status, headers?.get('www-authenticate')]).toEqual([401, expect.stringContaining('error="invalid_token"')])
  }
})

test('APP-04 a stream ends when its grant is revoked or narrowed, and the next call is refused', async () => {
  for (const end of ['narrowed', 'revoked']) {
    const app = await letIn(['read', 'write'])
    const openai = connect(app.accessToken)
    says(() => ({ text: ['Once '], ending: 'hang' }))
    const stream = await openai.chat.completions.create({ ...ask(), model: clients.talking.name, stream: true })
    const chunks = stream[Symbol.asyncIterator]()
    expect((await chunks.next()).done).toBe(false)
    const changed = await (end === 'narrowed'
      ? changeGrant('PATCH', app, { capabilities: ['read'] })
      : changeGrant('DELETE', app))
    expect(changed.status).toBe(200)
    const rest = async () => {
      for (let one = await chunks.next(); !one.done; one = await chunks.next());
    }
    expect(await refused(rest())).toMatchObject({ message: expect.stringContaining('revoked') })
    expect((await refused(openai.chat.completions.create(ask()))).status).toBe(end === 'narrowed' ? 403 : 401)
  }
})
