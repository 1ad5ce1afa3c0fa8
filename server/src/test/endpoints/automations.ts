import type { TestApp, TestBrain } from '../app.ts'
import { newAgent } from '../sample-agents.ts'
import { fresh } from './fresh.ts'
import { asIs, at, type EndpointRows, plain } from './row.ts'

// Triggers and schedules.

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

export const automationsRows = {
  'triggers.list': {
    needs: 'management',
    call: plain,
    aimed: asIs,
    example: async (test, brain) => {
      await onTrigger(test, brain)
      return {}
    },
  },
  'triggers.get': { needs: 'management', call: onTrigger, aimed: at('trigger') },
  'schedules.list': { needs: 'management', call: plain, aimed: asIs },
  'schedules.get': { needs: 'management', call: onSchedule, aimed: at('schedule') },
  'schedules.create': {
    needs: 'management',
    call: async (test, brain) => ({ body: await sampleSchedule(test, brain) }),
    aimed: ({ agent: agentId }) => [{ body: { agentId, cron: '0 9 * * *', input: 'sample', enabled: false } }],
  },
  'schedules.patch': {
    needs: 'management',
    call: async (test, brain) => ({ ...(await onSchedule(test, brain)), body: { cron: '0 8 * * *' } }),
    aimed: at('schedule', {}),
  },
  'triggers.create': {
    needs: 'management',
    call: async (test, brain) => ({ body: await sampleTrigger(test, brain) }),
    aimed: ({ agent: agentId, brain: { id: knowledgeGraphId } }) => [
      { body: { agentId, knowledgeGraphId, name: 'sample', enabled: false } },
    ],
  },
  'triggers.patch': {
    needs: 'management',
    call: async (test, brain) => ({ ...(await onTrigger(test, brain)), body: { name: fresh('trigger') } }),
    aimed: at('trigger', {}),
  },
  'schedules.delete': { needs: 'management', call: onSchedule, aimed: at('schedule') },
  'triggers.delete': { needs: 'management', call: onTrigger, aimed: at('trigger') },
} satisfies EndpointRows
