import type { TestApp, TestBrain } from './app.ts'
import { fresh, plain, type Sample, unreachable } from './sample-parts.ts'

// Calls of what agents stand on, and of agents.

const sampleProvider = { kind: 'openai-compatible', baseUrl: unreachable }

const onProvider = async (test: TestApp, { key }: TestBrain) => {
  const name = fresh('provider')
  await test.request('PUT', `/v1/providers/${name}`, { key, body: sampleProvider })
  return { params: { name } }
}

const creating =
  (path: string, name: string, toBody: () => object) =>
  async (test: TestApp, { key }: TestBrain): Promise<string> =>
    (await test.request('POST', path, { key, body: toBody() })).body.data[name].id

const sampleAgent = () => ({ name: fresh('agent'), instructions: 'Answer.', model: 'noema/extractive' })
const newProject = creating('/v1/projects', 'project', () => ({ name: fresh('project') }))
const newAgent = creating('/v1/agents', 'agent', sampleAgent)
const newConversation = creating('/v1/conversations', 'conversation', () => ({}))
const onConversation = async (test: TestApp, brain: TestBrain) => ({
  params: { id: await newConversation(test, brain) },
})
const sampleTrigger = async (test: TestApp, brain: TestBrain) => ({
  ...{ knowledgeGraphId: brain.brain.id, agentId: await newAgent(test, brain), name: fresh('trigger') },
  ...{ kindScopes: [{ entityKind: 'nothing' }], enabled: false },
})
const onTrigger = async (test: TestApp, brain: TestBrain) => {
  const body = await sampleTrigger(test, brain)
  const made = await test.request('POST', '/v1/automations/triggers', { key: brain.key, body })
  return { params: { id: made.body.data.trigger.id as string } }
}
const sampleSchedule = async (test: TestApp, brain: TestBrain) => ({
  ...{ agentId: await newAgent(test, brain), cron: '0 9 * * *', input: 'Look.' },
})
const onSchedule = async (test: TestApp, brain: TestBrain) => {
  const body = await sampleSchedule(test, brain)
  const made = await test.request('POST', '/v1/schedules', { key: brain.key, body })
  return { params: { id: made.body.data.schedule.id as string } }
}
const onProject = async (test: TestApp, brain: TestBrain) => ({ params: { id: await newProject(test, brain) } })
const onAgent = async (test: TestApp, brain: TestBrain) => ({ params: { id: await newAgent(test, brain) } })

const sampleConnector = () => ({ name: fresh('connector'), url: unreachable })
const newConnector = creating('/v1/connectors', 'connector', sampleConnector)
const onConnector = async (test: TestApp, brain: TestBrain) => ({ params: { id: await newConnector(test, brain) } })

export const agentSamples: Record<string, Sample> = {
  'packs.list': plain,
  'packs.install': () => ({ params: { name: 'research-notes' }, body: { brain: fresh('packed') } }),
  'projects.create': () => ({ body: { name: fresh('project') } }),
  'projects.list': plain,
  'projects.patch': async (test, brain) => ({ ...(await onProject(test, brain)), body: { name: fresh('project') } }),
  'projects.delete': onProject,
  'agents.create': () => ({ body: sampleAgent() }),
  'agents.list': plain,
  'agents.get': onAgent,
  'agents.patch': async (test, brain) => ({ ...(await onAgent(test, brain)), body: { name: fresh('agent') } }),
  'agents.versions': onAgent,
  'agents.delete': onAgent,
  'conversations.create': () => ({ body: { title: fresh('title') } }),
  'conversations.list': plain,
  'conversations.get': onConversation,
  'conversations.messages': onConversation,
  'conversations.delete': onConversation,
  'triggers.list': plain,
  'triggers.create': async (test, brain) => ({ body: await sampleTrigger(test, brain) }),
  'triggers.patch': async (test, brain) => ({ ...(await onTrigger(test, brain)), body: { name: fresh('trigger') } }),
  'triggers.delete': onTrigger,
  'connectors.create': () => ({ body: sampleConnector() }),
  'connectors.list': plain,
  'connectors.get': onConnector,
  'connectors.patch': async (test, brain) => ({ ...(await onConnector(test, brain)), body: { name: fresh('other') } }),
  'connectors.delete': onConnector,
  'connectors.test': onConnector,
  'schedules.create': async (test, brain) => ({ body: await sampleSchedule(test, brain) }),
  'schedules.list': plain,
  'schedules.patch': async (test, brain) => ({ ...(await onSchedule(test, brain)), body: { cron: '0 8 * * *' } }),
  'schedules.delete': onSchedule,
  'providers.put': () => ({ params: { name: fresh('provider') }, body: sampleProvider }),
  'providers.list': plain,
  'providers.delete': onProvider,
  'providers.test': onProvider,
}
