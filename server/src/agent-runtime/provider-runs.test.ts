import { afterAll, beforeAll, expect, test } from 'vitest'
import { useAgents } from '../features/agents/agents/use-agents.fixture.ts'
import { type ScriptedModels, startScriptedModels } from '../test/models/scripted-models.ts'

// Runs whose model is that of a provider: what they keep of it, and what of it they must not.

const agents = useAgents()
let models: ScriptedModels
const [apiKey, header] = ['zqsealed-key-of-a-provider', 'zqsealed-header-of-a-provider']

const put = async (name: string) => {
  const body = { kind: 'openai-compatible', baseUrl: models.url, apiKey, headers: { 'x-team': header } }
  expect((await agents.call('PUT', `/v1/providers/${name}`, body)).status).toBeLessThan(300)
}

beforeAll(async () => {
  models = await startScriptedModels()
})
afterAll(() => models.close())

const runAgent = async (agent: { id: string }) => {
  const { body } = await agents.app.request('POST', '/v1/runs', {
    key: agents.scene.member.key,
    headers: { prefer: 'wait=30' },
    body: { agentId: agent.id, input: 'Where is it?' },
  })
  return body.data.run
}

const run = async (model: string) => runAgent(await agents.createAgent({ model }))

/** All that the database holds, as text; what is encrypted as it would read if it were not. */
const readEverything = async (): Promise<string> => {
  const { pool } = agents.app.database
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
  )
  const texts: string[] = []
  for (const { name } of rows) {
    const { rows: all } = await pool.query(`select * from "${name}"`)
    texts.push(
      JSON.stringify(all, (_key, value) =>
        value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
      ),
    )
  }
  return texts.join('\n')
}

test('D-78 RUN-03 a run keeps what its model said and used; where no price is known, it has no cost', async () => {
  await put('priced-by-nobody')
  models.says([{ text: ['In the', ' garden.'], usage: { input: 1000, output: 100, cacheRead: 300, reasoning: 20 } }])
  const ended = await run('priced-by-nobody/scripted')
  expect(ended).toMatchObject({ state: 'completed', usage: { inputTokens: 1000, outputTokens: 100 } })
  expect(ended.usage).not.toHaveProperty('costCents')
})

test('D-78 the key and the headers of a provider are in no journal, message, part, event, log or error, also where it repeats them', async () => {
  await put('talkative')
  const echo = { error: { message: `The key ${apiKey} with ${header} is wrong.` } }
  models.says([{ status: 401, body: echo }])
  const refused = await run('talkative/scripted')
  expect(refused).toMatchObject({ state: 'failed', failureCategory: 'model' })
  expect(refused.failureReason).toBe(
    'The provider talkative answered 401: The key *** with *** is wrong. Check its key.',
  )
  models.says([{ text: ['Fine.'] }])
  expect(await run('talkative/scripted')).toMatchObject({ state: 'completed' })
  expect(models.requests.at(-1)?.headers.authorization).toBe(`Bearer ${apiKey}`)
  const everything = await readEverything()
  expect(everything).toContain('talkative answered 401')
  for (const text of [everything, agents.app.logLines.join('\n')]) expect(text).not.toContain('zqsealed')
})

test('D-78 a run whose provider was deleted, or cannot be decrypted any more, fails and says what to do', async () => {
  await put('gone')
  const agent = await agents.createAgent({ model: 'gone/scripted' })
  await agents.call('DELETE', '/v1/providers/gone')
  expect(await runAgent(agent)).toMatchObject({
    ...{ state: 'failed', failureCategory: 'model', failureReason: expect.stringContaining('Set one up.') },
  })
  await put('gone')
  await agents.app.database.pool.query(`update providers set secret = '\\x00' where name = 'gone'`)
  expect(await runAgent(agent)).toMatchObject({
    ...{
      state: 'failed',
      failureReason: expect.stringContaining('NOEMA_SECRET has changed. Set the provider up again.'),
    },
  })
})
