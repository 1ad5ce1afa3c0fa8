import type { TestApp, TestBrain } from '../app.ts'
import { fresh } from './fresh.ts'
import { at, type EndpointRows, inRuns } from './row.ts'

// Runs of callers' own steps.

const onFlow = async (test: TestApp, brain: TestBrain): Promise<{ id: string }> => {
  const body = { name: 'import-telemetry', input: { day: '2026-11-28' } }
  const made = await test.request('POST', '/v1/flows', {
    ...{ key: brain.key, body, headers: { 'idempotency-key': fresh('flow') } },
  })
  return { id: made.body.data.run.runId }
}

const onStep = async (test: TestApp, brain: TestBrain) => {
  const { id } = await onFlow(test, brain)
  await test.request('PUT', `/v1/runs/${id}/steps/download`, { key: brain.key, body: { output: { packets: 1_204 } } })
  return { params: { id, key: 'download' } }
}

export const flowRows = {
  'flows.start': {
    needs: 'management',
    call: () => ({
      body: { name: 'import-telemetry', input: { day: '2026-11-28' } },
      headers: { 'idempotency-key': fresh('flow') },
    }),
    aimed: () => [{ body: { name: 'sample' } }],
    unaudited: inRuns,
  },
  'flows.step': {
    needs: 'management',
    call: onStep,
    aimed: ({ flow: id }) => [{ params: { id, key: 'planted' } }],
  },
  'flows.putStep': {
    needs: 'management',
    call: async (test, brain) => ({
      params: { ...(await onFlow(test, brain)), key: 'download' },
      body: { input: { day: '2026-11-28' }, output: { packets: 1_204 } },
    }),
    aimed: ({ flow: id }) => [{ params: { id, key: 'planted' }, body: { output: 'other' } }],
    unaudited: inRuns,
  },
  'flows.finish': {
    needs: 'management',
    call: async (test, brain) => ({ params: await onFlow(test, brain), body: { output: { packets: 1_204 } } }),
    aimed: at('flow', {}),
    unaudited: inRuns,
  },
} satisfies EndpointRows
