import type { TestApp, TestBrain } from './app.ts'
import { fresh, plain, type Sample } from './sample-parts.ts'

// Calls about runs of agents, which are found as they wait for a person: put there behind the service's back, so that no node
// works on them.

const newAgent = async (test: TestApp, { key }: TestBrain): Promise<string> => {
  const body = { name: fresh('agent'), instructions: '', model: 'noema/extractive' }
  return (await test.request('POST', '/v1/agents', { key, body })).body.data.agent.id
}

/** A run that waits for the answer to a task. */
export const newWaitingRun = async (test: TestApp, brain: TestBrain): Promise<{ run: string; task: string }> => {
  const [agent, run, operation, task] = [await newAgent(test, brain), fresh('run'), fresh('opr'), fresh('tsk')]
  const place = [brain.organizationId, run, agent]
  await test.database.pool.query(
    `insert into runs (organization_id, id, agent_id, agent_version, project_id, state, input, started_by, created_at)
     select $1, $2, $3, 1, id, 'waiting', '"hello"', '{"type":"system","id":"test"}', now() from projects
     where organization_id = $1 and is_default`,
    place,
  )
  await test.database.pool.query(
    `insert into run_operations (organization_id, run_id, agent_id, id, sequence, step, type, name, status, task_id,
       project_id, created_at) values ($1, $2, $3, $4, 1, 1, 'tool_call', 'ask_human', 'running', $5, 'project', now())`,
    [...place, operation, task],
  )
  await test.database.pool.query(
    `insert into run_tasks (organization_id, run_id, agent_id, operation_id, id, state, question, created_at)
     values ($1, $2, $3, $4, $5, 'open', 'Which?', now())`,
    [...place, operation, task],
  )
  return { run, task }
}

const onRun: Sample = async (test, brain) => ({ params: { id: (await newWaitingRun(test, brain)).run } })
const onTask: Sample = async (test, brain) => ({ params: { id: (await newWaitingRun(test, brain)).task } })

/** A call of every endpoint of runs and tasks. */
export const runSamples: Record<string, Sample> = {
  'runs.start': async (test, brain) => ({ body: { agentId: await newAgent(test, brain), input: 'hello' } }),
  'runs.list': plain,
  'runs.get': onRun,
  'runs.cancel': onRun,
  'tasks.list': plain,
  'tasks.get': onTask,
  'tasks.complete': async (test, brain) => ({ ...(await onTask(test, brain)), body: { answer: 'this one' } }),
}
