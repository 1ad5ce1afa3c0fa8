import { insertRun } from '../../features/agents/run-feeds/run.fixture.ts'
import type { TestApp, TestBrain } from '../app.ts'
import { newAgent, newReportedRun, newWaitingRun } from '../sample-agents.ts'
import { asIs, at, type EndpointRow, type EndpointRows, inRuns, plain } from './row.ts'

// Runs and their tasks.

const onRun: EndpointRow['call'] = async (test, brain) => ({ params: { id: (await newWaitingRun(test, brain)).run } })

const onTask: EndpointRow['call'] = async (test, brain) => ({ params: { id: (await newWaitingRun(test, brain)).task } })

const onEndedRun = async (test: TestApp, { organizationId }: TestBrain) => ({
  params: { id: (await insertRun(test, organizationId, { state: 'completed' })).id },
})

const onReportedRun: EndpointRow['call'] = async (test, brain) => ({
  params: { id: await newReportedRun(test, brain) },
})

/** A link to a run. */
const onShare = async (test: TestApp, brain: TestBrain) => {
  const { params } = await onEndedRun(test, brain)
  const shared = await test.request('POST', `/v1/runs/${params.id}/share`, { key: brain.key, body: {} })
  return { params: { id: shared.body.data.share.id as string } }
}

export const runsRows = {
  'runs.list': { needs: 'management', call: plain, aimed: asIs },
  'runs.get': { needs: 'management', call: onRun, aimed: at('waiting') },
  'tasks.list': { needs: 'management', call: plain, aimed: asIs },
  'tasks.get': { needs: 'management', call: onTask, aimed: at('task') },
  activity: {
    needs: 'management',
    call: plain,
    aimed: asIs,
    example: async (test, brain) => {
      await newReportedRun(test, brain)
      return {}
    },
  },
  activityDays: { needs: 'management', call: plain, aimed: asIs },
  'runs.stream': { needs: 'management', call: onEndedRun, aimed: at('run') },
  'runs.messages': { needs: 'management', call: onEndedRun, aimed: at('run'), example: onReportedRun },
  'runs.operations': { needs: 'management', call: onEndedRun, aimed: at('run'), example: onReportedRun },
  'runs.share': {
    needs: 'management',
    call: async (test, brain) => ({ ...(await onEndedRun(test, brain)), body: { include: ['input', 'citations'] } }),
    aimed: at('run', { include: ['input', 'messages', 'operations', 'citations'] }),
  },
  'sharedRuns.list': {
    needs: 'management',
    call: plain,
    aimed: asIs,
    example: async (test, brain) => {
      await onShare(test, brain)
      return {}
    },
  },
  'sharedRuns.revoke': { needs: 'management', call: onShare, aimed: at('share') },
  'runs.start': {
    needs: 'management',
    call: async (test, brain) => ({ body: { agentId: await newAgent(test, brain), input: 'hello' } }),
    aimed: ({ agent: agentId }) => [{ body: { agentId, input: 'hello' } }],
    unaudited: inRuns,
  },
  'tasks.complete': {
    needs: 'management',
    call: async (test, brain) => ({ ...(await onTask(test, brain)), body: { answer: 'this one' } }),
    aimed: at('task', { answer: 'this one' }),
    unaudited: inRuns,
  },
  'runs.cancel': {
    needs: 'management',
    call: async (test, brain) => ({ ...(await onRun(test, brain)), body: { reason: 'It is not needed any more.' } }),
    aimed: at('cancellableRun'),
    unaudited: inRuns,
  },
} satisfies EndpointRows
