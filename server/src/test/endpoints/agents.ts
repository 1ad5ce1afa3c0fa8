import type { TestApp, TestBrain } from '../app.ts'
import { creating, newAgent, newReportedRun, sampleAgent } from '../sample-agents.ts'
import { fresh, unreachable } from './fresh.ts'
import { asIs, at, type EndpointRows, inRuns, plain } from './row.ts'

// Agents and the projects, models, connectors and conversations that they use.

const sampleProvider = { kind: 'openai-compatible', baseUrl: unreachable }

const onProvider = async (test: TestApp, { key }: TestBrain) => {
  const name = fresh('provider')
  await test.request('PUT', `/v1/providers/${name}`, { key, body: sampleProvider })
  return { params: { name } }
}

const aPack = () => ({ params: { name: 'research-notes' } })

const newProject = creating('/v1/projects', 'project', () => ({ name: fresh('project') }))

const newConversation = creating('/v1/conversations', 'conversation', () => ({}))

const onConversation = async (test: TestApp, brain: TestBrain) => ({
  params: { id: await newConversation(test, brain) },
})

/** A conversation with a run in it. */
const onReportedConversation = async (test: TestApp, brain: TestBrain) => {
  const [id, run] = [await newConversation(test, brain), await newReportedRun(test, brain)]
  await test.database.pool.query('update runs set conversation_id = $1 where id = $2', [id, run])
  return { params: { id } }
}

const onProject = async (test: TestApp, brain: TestBrain) => ({ params: { id: await newProject(test, brain) } })

const onAgent = async (test: TestApp, brain: TestBrain) => ({ params: { id: await newAgent(test, brain) } })

const sampleConnector = () => ({ name: fresh('connector'), url: unreachable })

const newConnector = creating('/v1/connectors', 'connector', sampleConnector)

const onConnector = async (test: TestApp, brain: TestBrain) => ({ params: { id: await newConnector(test, brain) } })

const samplePack = {
  title: 'Spacecraft',
  description: 'What is known about spacecraft.',
  purpose: 'Spacecraft of {{agency}}.',
  parameters: [{ name: 'agency', type: 'text' }],
  kinds: [{ kind: 'spacecraft', description: 'A spacecraft' }],
}

export const agentsRows = {
  'projects.list': { needs: 'management', call: plain, aimed: asIs },
  'projects.get': { needs: 'management', call: onProject, aimed: at('project') },
  'agents.list': { needs: 'management', call: plain, aimed: asIs },
  'agents.get': { needs: 'management', call: onAgent, aimed: at('agent') },
  'agents.versions': { needs: 'management', call: onAgent, aimed: at('agent') },
  'conversations.list': { needs: 'management', call: plain, aimed: asIs },
  'conversations.get': { needs: 'management', call: onConversation, aimed: at('conversation') },
  'conversations.messages': {
    needs: 'management',
    call: onConversation,
    aimed: at('conversation'),
    example: onReportedConversation,
  },
  'packs.list': { needs: 'management', call: plain, aimed: asIs },
  'packs.get': { needs: 'management', call: aPack, aimed: () => [aPack()] },
  'providers.list': { needs: 'management', call: plain, aimed: asIs },
  'providers.get': { needs: 'management', call: onProvider, aimed: () => [{ params: { name: 'planted' } }] },
  'connectors.list': { needs: 'management', call: plain, aimed: asIs },
  'connectors.get': { needs: 'management', call: onConnector, aimed: at('connector') },
  'projects.create': {
    needs: 'management',
    call: () => ({ body: { name: fresh('project') } }),
    aimed: () => [{ body: { name: 'sample' } }],
  },
  'projects.patch': {
    needs: 'management',
    call: async (test, brain) => ({ ...(await onProject(test, brain)), body: { name: fresh('project') } }),
    aimed: at('project', {}),
  },
  'conversations.create': {
    needs: 'management',
    call: () => ({ body: { title: fresh('title') } }),
    aimed: () => [{ body: { title: 'sample' } }],
    unaudited: inRuns,
  },
  'conversations.patch': {
    needs: 'management',
    call: async (test, brain) => ({ ...(await onConversation(test, brain)), body: { title: fresh('title') } }),
    aimed: at('conversation', { title: 'sample' }),
    unaudited: inRuns,
  },
  'packs.schema': { needs: 'nobody', call: plain, aimed: asIs },
  'packs.put': {
    needs: 'management',
    call: () => ({ params: { name: fresh('pack') }, body: samplePack }),
    aimed: () => [{ params: { name: 'planted' }, body: samplePack }],
    example: { params: { name: 'spacecraft' }, body: samplePack },
  },
  'packs.delete': {
    needs: 'management',
    call: async (test, brain) => {
      const name = fresh('pack')
      await test.request('PUT', `/v1/packs/${name}`, { key: brain.key, body: samplePack })
      return { params: { name } }
    },
    aimed: () => [{ params: { name: 'planted' } }],
  },
  'packs.install': {
    needs: 'management',
    call: () => ({ params: { name: 'research-notes' }, body: { brain: fresh('packed') } }),
    aimed: ({ brain: { handle: brain } }) => [{ params: { name: 'research-notes' }, body: { brain } }],
  },
  'agents.create': {
    needs: 'management',
    call: () => ({ body: sampleAgent() }),
    aimed: () => [{ body: { name: 'sample', instructions: 'Answer.', model: 'noema/extractive' } }],
  },
  'agents.patch': {
    needs: 'management',
    call: async (test, brain) => ({ ...(await onAgent(test, brain)), body: { name: fresh('agent') } }),
    aimed: at('agent', {}),
  },
  'connectors.create': {
    needs: 'management',
    call: () => ({ body: sampleConnector() }),
    aimed: () => [{ body: { name: 'sample', url: unreachable } }],
  },
  'connectors.patch': {
    needs: 'management',
    call: async (test, brain) => ({ ...(await onConnector(test, brain)), body: { name: fresh('other') } }),
    aimed: at('connector', {}),
  },
  'connectors.test': {
    needs: 'management',
    call: onConnector,
    aimed: at('connector'),
    unaudited: 'a test changes nothing but the list of tools that was seen last',
  },
  'providers.test': {
    needs: 'management',
    call: async (test, brain) => ({ ...(await onProvider(test, brain)), body: { model: 'llama' } }),
    aimed: () => [{ params: { name: 'planted' } }, { params: { name: 'planted' }, body: { model: 'm' } }],
    unaudited: 'a test changes nothing',
  },
  'providers.put': {
    needs: 'management',
    call: () => ({ params: { name: fresh('provider') }, body: sampleProvider }),
    aimed: () => [{ params: { name: 'other' }, body: { kind: 'openai-compatible', baseUrl: unreachable } }],
  },
  'conversations.delete': { needs: 'management', call: onConversation, aimed: at('conversation'), unaudited: inRuns },
  'agents.delete': { needs: 'management', call: onAgent, aimed: at('agent') },
  'projects.delete': { needs: 'management', call: onProject, aimed: at('project') },
  'connectors.delete': { needs: 'management', call: onConnector, aimed: at('connector') },
  'providers.delete': { needs: 'management', call: onProvider, aimed: () => [{ params: { name: 'planted' } }] },
} satisfies EndpointRows
