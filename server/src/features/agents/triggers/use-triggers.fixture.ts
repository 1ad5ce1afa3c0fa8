import { beforeEach } from 'vitest'
import { callRunTool } from '../../../agent-runtime/tools/run-tools.fixture.ts'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { runPass } from '../../../test/run-pass.ts'
import { useAgents } from '../agents/use-agents.fixture.ts'
import { createTriggerWork } from './fire-triggers.ts'

// Triggers of a Brain of its own for each test. No node works in the background: a test fires them, and takes the turns of runs.

type Run = { runId: string; agentId: string; input: string; trigger: { id: string; cursor: string } }

export const useTriggers = (env: Record<string, string> = {}) => {
  const agents = useAgents({ NOEMA_ROLES: 'http', ...env })
  const scene = {} as { brain: TestBrain; agentId: string }
  let made = 0
  beforeEach(async () => {
    scene.brain = await addBrain(agents.app, agents.scene.member, `brain-${++made}`)
    const brains = [{ handle: scene.brain.brain.handle, access: 'read_write' }]
    scene.agentId = (await agents.createAgent({ brains })).id
  })
  const { app, call } = agents
  const path = '/v1/automations/triggers'
  const given = () => ({
    ...{ knowledgeGraphId: scene.brain.brain.id, agentId: scene.agentId, name: 'Watch' },
    requiredAccess: 'read_write',
  })
  const list = async () => (await call('GET', path)).body.data.triggers
  const runs = async (trigger: string, agentId = scene.agentId): Promise<Run[]> =>
    (await call('GET', `/v1/runs?triggerId=${trigger}&agentId=${agentId}&limit=500`)).body.data.runs
  return {
    ...{ app, call, path, given, list, runs, scene, member: agents.scene, createAgent: agents.createAgent },
    createTrigger: async (more: object = {}) => (await call('POST', path, { ...given(), ...more })).body.data.trigger,
    find: async (id: string) => (await list()).find(({ trigger }: { trigger: { id: string } }) => trigger.id === id),
    /** Examines all events that are there now. */
    fire: () => runPass(app.app.deps, createTriggerWork(app.app.deps)),
    /** Writes as a person. */
    write: async (kind: string, fields: object = {}) =>
      (await scene.brain.call('POST', '/records', { kind, fields })).body.data,
    /** Writes as a run does, by its tool. */
    writeAs: async ({ runId }: Run, operations: object[]) => {
      const { brain } = scene.brain
      const pinned = { id: brain.id, handle: brain.handle, access: 'read_write' as const }
      const run = { id: runId, organizationId: scene.brain.organizationId, definition: { tools: [], brains: [pinned] } }
      return callRunTool(app, run, 'knowledge_write', { operations })
    },
    /** Ends runs without their turns. */
    endRuns: () => app.database.pool.query(`update runs set state = 'completed', completed_at = now(), due_at = null`),
  }
}
