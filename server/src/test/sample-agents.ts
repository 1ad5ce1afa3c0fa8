import { insertOperation, insertRun } from '../features/agents/run-feeds/run.fixture.ts'
import { newId } from '../shared/ids.ts'
import type { TestApp, TestBrain } from './app.ts'
import { fresh } from './endpoints/fresh.ts'

// Agents and runs that tests need and are not about.

/** Returns a function that creates something at a path and returns its id. */
export const creating =
  (path: string, name: string, toBody: () => object) =>
  async (test: TestApp, { key }: TestBrain): Promise<string> =>
    (await test.request('POST', path, { key, body: toBody() })).body.data[name].id

export const sampleAgent = () => ({ name: fresh('agent'), instructions: 'Answer.', model: 'noema/extractive' })

export const newAgent = creating('/v1/agents', 'agent', sampleAgent)

/** A run that has ended, with a call of a tool and the answer in its journal. */
export const newReportedRun = async (test: TestApp, { organizationId }: TestBrain): Promise<string> => {
  const { id } = await insertRun(test, organizationId, { state: 'completed' })
  const [input, output] = [{ query: 'interstellar space' }, { evidence: 'strong' }].map((one) => JSON.stringify(one))
  await insertOperation(
    test,
    { organizationId, id },
    {
      ...{
        name: 'knowledge_search',
        tool_name: 'knowledge_search',
        tool_source_kind: 'builtin',
        tool_source_id: 'noema',
      },
      ...{ knowledge_read_subject: 'chunk', input, output, latency_milliseconds: 12, completed_at: new Date() },
    },
  )
  const text = 'Voyager 1 entered interstellar space in August 2012.'
  await test.database.pool.query(
    `insert into run_messages (organization_id, run_id, id, position, role, parts, text, created_at)
     values ($1, $2, $3, 1, 'assistant', $4, $5, now())`,
    [organizationId, id, newId('msg'), JSON.stringify([{ type: 'text', text }]), text],
  )
  return id
}

/**
 * A run that waits for the answer to a task. It is inserted into the database directly, so that no node works on it.
 */
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
