import { insertRun } from '../../features/agents/run-feeds/run.fixture.ts'
import type { TestApp, TestBrain } from '../app.ts'
import { newAgent, newWaitingRun } from '../sample-agents.ts'
import { asIs, at, type EndpointRow, type EndpointRows, inRuns, plain } from './row.ts'

// Agents as models.

const onAgent: EndpointRow['call'] = async (test, brain) => ({ params: { id: await newAgent(test, brain) } })

const onRun = async (test: TestApp, { organizationId }: TestBrain) => ({
  params: { id: (await insertRun(test, organizationId, { state: 'completed' })).id },
})

export const openAiRows = {
  'openai.models.list': { needs: 'management', call: plain, aimed: asIs },
  'openai.models.get': { needs: 'management', call: onAgent, aimed: at('agent') },
  'openai.chat.completions': {
    needs: 'management',
    call: async (test, brain) => ({
      body: { model: await newAgent(test, brain), messages: [{ role: 'user', content: 'hello' }] },
    }),
    aimed: ({ agent: model }) => [{ body: { model, messages: [{ role: 'user', content: 'hello' }] } }],
    unaudited: inRuns,
  },
  'openai.responses.create': {
    needs: 'management',
    call: async (test, brain) => ({ body: { model: await newAgent(test, brain), input: 'hello', background: true } }),
    aimed: ({ agent: model }) => [{ body: { model, input: 'hello', background: true } }],
    unaudited: inRuns,
  },
  'openai.responses.get': { needs: 'management', call: onRun, aimed: at('run') },
  'openai.responses.cancel': {
    needs: 'management',
    call: async (test, brain) => ({ params: { id: (await newWaitingRun(test, brain)).run } }),
    aimed: at('cancellableRun'),
    unaudited: inRuns,
  },
} satisfies EndpointRows
