import type { Client } from '@noema/sdk'

// Agents on the demo's Brain, with a trigger, a schedule and a provider. Only the schedule of each weekday starts by
// itself.

const makeAgent = async (client: Client, name: string, body: object) => {
  const { agents } = await client.agents.list({ archived: 'false', limit: 500 })
  const found = agents.find((agent) => agent.name === name)
  if (found) return found
  const given = { instructions: 'Answer from the Brain, and name your sources.', model: 'noema/extractive', ...body }
  return (await client.agents.create({ name, ...given })).agent
}

const makeTriggers = async (client: Client, brainId: string, agentId: string) => {
  const { triggers } = await client.triggers.list()
  const isThere = (name: string) => triggers.some(({ trigger }) => trigger.name === name)
  const given = { knowledgeGraphId: brainId, agentId }
  if (!isThere('Read new meeting notes'))
    await client.triggers.create({
      ...{ ...given, name: 'Read new meeting notes', kindScopes: [{ entityKind: 'document' }] },
      expectedOutcome: 'Say what was decided, by whom, and until when.',
    })
  if (!isThere('Watch projects'))
    await client.triggers.create({
      ...{ ...given, name: 'Watch projects', kindScopes: [{ entityKind: 'project' }], enabled: false },
      expectedOutcome: 'Tell who should know of it.',
    })
}

const makeSchedules = async (client: Client, agentId: string) => {
  const { schedules } = await client.schedules.list()
  if (schedules.length > 0) return
  const given = { agentId, timezone: 'Europe/Berlin' }
  await client.schedules.create({ ...given, cron: '0 9 * * 1-5', input: 'Which projects are due this week?' })
  await client.schedules.create({ ...given, cron: '0 8 1 * *', input: 'What was decided last month?', enabled: false })
}

/** Agents of the demo with what starts them, and a provider without a key that works: each once. */
export const seedAgents = async (client: Client, brain: { id: string; handle: string }): Promise<void> => {
  await client.providers.put('models', { kind: 'openai', apiKey: 'no-key-of-anybody' })
  const brains = [{ handle: brain.handle, access: 'read_only' as const }]
  const librarian = await makeAgent(client, 'Librarian', { brains, tools: ['ask_human'] })
  await makeAgent(client, 'Support', { brains, model: 'models/small', tools: [{ agent: librarian.id }] })
  await makeTriggers(client, brain.id, librarian.id)
  await makeSchedules(client, librarian.id)
  // The event of the trigger.
  await client.brain(brain.handle).documents.put('note', { title: 'A note', text: 'Bo wants the sketches by Friday.' })
  const { runs } = await client.runs.list({ limit: 1 })
  if (runs.length === 0) await client.runs.start({ agentId: librarian.id, input: 'When is Apollo due?' })
}
