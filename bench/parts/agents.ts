import { createLog } from '../../server/src/shared/log.ts'
import { openDatabase } from '../../server/src/storage/database.ts'
import type { Noema } from './noema.ts'
import { writeRun } from './run-rows.ts'
import type { ScratchDatabase } from './scratch-postgres.ts'

const brain = 'facts'
const path = `/v1/brains/${brain}`
const facts = ['Ada Lovelace wrote the first program.', 'Charles Babbage designed the Analytical Engine.']

/** An agent of the built-in model, which reads a Brain with a few facts. */
export const addAgent = async ({ call }: Noema): Promise<string> => {
  await call('PUT', path, {})
  for (const [n, text] of facts.entries()) await call('POST', `${path}/documents`, { id: `fact-${n}`, text })
  const reading = { instructions: 'Answer from the Brain.', brains: [{ handle: brain, access: 'read_only' }] }
  const body = { name: 'extractive', model: 'noema/extractive', ...reading }
  return (await call<{ agent: { id: string } }>('POST', '/v1/agents', body)).agent.id
}

/** Starts a run and waits for its end; throws unless it completed. */
export const completeRun = async (noema: Noema, agentId: string): Promise<void> => {
  const response = await fetch(`http://127.0.0.1:${noema.port}/v1/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${noema.key}`, 'content-type': 'application/json', prefer: 'wait=30' },
    body: JSON.stringify({ agentId, input: 'Who wrote the first program?' }),
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`a run was answered ${response.status}: ${text}`)
  const { run } = JSON.parse(text).data as { run: { state: string } }
  if (run.state !== 'completed') throw new Error(`a run ended ${run.state}: ${text}`)
}

/** Writes the rows of runs by bare SQL, over so many connections. */
export const openBareRuns = async (
  database: ScratchDatabase,
  { organizationId }: Noema,
  atOnce: number,
): Promise<{ task: () => Promise<void>; close: () => Promise<void> }> => {
  const { rows } = await database.pool.query<{ brainId: number }>('select brain_id as "brainId" from brains')
  const brainId = rows[0]?.brainId ?? 0
  const { pool, close } = openDatabase(database.url, createLog('error'), atOnce)
  return { task: () => writeRun(pool, { organizationId, brainId }), close }
}
