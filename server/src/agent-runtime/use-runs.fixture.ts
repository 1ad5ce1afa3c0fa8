import { afterAll, beforeAll, expect } from 'vitest'
import { useAgents } from '../features/agents/agents/use-agents.fixture.ts'
import type { startTestApp, TestApp } from '../test/app.ts'
import { type ScriptedModels, startScriptedModels } from '../test/models/scripted-models.ts'

// Runs of agents whose models say what a script says: a server of models on this machine, called as any other.

type Row = { [name: string]: unknown }

/** The request of a model: its step, and the results of tools in it. */
export const readRequest = ({ body }: { body: { messages: { role: string; content: unknown }[] } }) => ({
  /** The number of the model's answers since the last question of a person. */
  step: body.messages
    .slice(body.messages.findLastIndex(({ role }) => role === 'user'))
    .filter(({ role }) => role === 'assistant').length,
  results: body.messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content)),
})

/** Waits until a run is to be taken up again later, and moves the clock on to then. */
export const passWait = async ({ database, clock }: TestApp, runId: string): Promise<void> => {
  const readWait = async () => {
    const statement = 'select due_at from runs where id = $1 and lease is null'
    const { rows } = await database.pool.query<{ due_at: Date | null }>(statement, [runId])
    return (rows[0]?.due_at?.getTime() ?? 0) - clock.now().getTime()
  }
  await expect.poll(readWait).toBeGreaterThan(0)
  clock.advance({ seconds: (await readWait()) / 1000 })
}

/** An app, an organization and a provider `scripted`, with ways to run agents. */
export const useRuns = (...settings: Parameters<typeof startTestApp>) => {
  const agents = useAgents(...settings)
  const scene = {} as { models: ScriptedModels }
  beforeAll(async () => {
    scene.models = await startScriptedModels()
    const body = { kind: 'openai-compatible', baseUrl: scene.models.url, apiKey: 'scripted' }
    expect((await agents.call('PUT', '/v1/providers/scripted', body)).status).toBeLessThan(300)
  })
  afterAll(() => scene.models.close())
  const query = async (text: string, values: unknown[] = []): Promise<Row[]> =>
    (await agents.app.database.pool.query(text, values)).rows
  const start = async (agentId: string, input: unknown = 'Go.', more: object = {}): Promise<string> => {
    const { body } = await agents.call('POST', '/v1/runs', { agentId, input, ...more })
    return body.data.run.runId
  }
  const read = async (runId: string) => (await agents.call('GET', `/v1/runs/${runId}`)).body.data.run
  return {
    ...agents,
    scripted: scene,
    query,
    start,
    read,
    createAgent: (more: object = {}) => agents.createAgent({ model: 'scripted/one', ...more }),
    /** Waits until a run is in a state. */
    reach: (runId: string, ...states: string[]) =>
      expect
        .poll(async () => (await read(runId)).state, { interval: 20 })
        .toSatisfy((state: string) => states.includes(state)),
    ended: async (runId: string) => {
      await expect.poll(async () => (await read(runId)).completedAt, { interval: 20 }).not.toBe(null)
      return read(runId)
    },
    listOperations: (runId: string) =>
      query(
        `select id, sequence, step, type, name, status, attempt, call_id, input, output, error, change, receipt,
           input_tokens, task_id, child_run_id
         from run_operations where run_id = $1 and type <> 'system_action' order by sequence`,
        [runId],
      ),
    listMessages: (runId: string) =>
      query('select id, role, parts, text, operation_id from run_messages where run_id = $1 order by position', [
        runId,
      ]),
    readTask: async (runId: string) => (await agents.call('GET', `/v1/tasks?runId=${runId}`)).body.data.tasks[0],
  }
}
