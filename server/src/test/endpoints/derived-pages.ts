import type { TestApp, TestBrain } from '../app.ts'
import { fresh } from './fresh.ts'
import { asIs, type EndpointRows, plain, planted } from './row.ts'

// Documents that agents keep up to date.

const question = 'When was Voyager 1 launched?'

/** Nothing in the Brain answers it, so that an agent that may ask a person waits, and writes nothing while others look at the Brain. */
const unanswered = 'Who keeps the zebra xylophone?'

const makeAgent = async (test: TestApp, { key, brain }: TestBrain, tools: string[] = []): Promise<string> => {
  const given = { name: fresh('page'), instructions: 'Answer.', model: 'noema/extractive', tools }
  const brains = [{ handle: brain.handle, access: 'read_only' }]
  const { body } = await test.request('POST', '/v1/agents', { key, body: { ...given, brains } })
  return body.data.agent.id
}

/** A page that no node writes, so that its answers are the same each time. */
const onPage = async (test: TestApp, brain: TestBrain) => {
  const id = fresh('page')
  const body = { agentId: await makeAgent(test, brain), question }
  await test.request('PUT', `/v1/brains/${brain.brain.handle}/derived-pages/${id}`, { key: brain.key, body })
  const later = new Date(test.clock.now().getTime() + 365 * 86_400_000)
  await test.database.pool.query('update derived_pages set due_at = $2 where document_id = $1', [id, later])
  return { params: { id } }
}

export const derivedPagesRows = {
  'brain.derivedPages.list': {
    needs: 'management',
    call: plain,
    aimed: asIs,
    example: async (test, brain) => {
      await onPage(test, brain)
      return {}
    },
  },
  'brain.derivedPages.get': { needs: 'management', call: onPage, aimed: () => [planted] },
  'brain.derivedPages.put': {
    needs: 'management',
    call: async (test, brain) => ({
      params: { id: fresh('page') },
      body: { agentId: await makeAgent(test, brain, ['ask_human']), question: unanswered },
    }),
    example: async (test, brain) => ({
      params: { id: fresh('page') },
      body: { agentId: await makeAgent(test, brain), question },
    }),
    aimed: ({ pageAgent }) => [{ ...planted, body: { agentId: pageAgent, question } }],
  },
  'brain.derivedPages.delete': { needs: 'management', call: onPage, aimed: () => [planted] },
} satisfies EndpointRows
