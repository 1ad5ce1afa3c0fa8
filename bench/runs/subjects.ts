import { createLog } from '../../server/src/shared/log.ts'
import { openDatabase } from '../../server/src/storage/database.ts'
import { writeRun } from '../floors/run-rows.ts'
import { type ServerProcess, startServer } from '../parts/child.ts'
import type { Noema } from '../parts/noema.ts'
import { peersFolder } from '../parts/peer-packages.ts'
import type { ScratchDatabase } from '../parts/scratch-postgres.ts'
import { addAgent, addFacts } from './agents.ts'

// What completes runs: agents of Noema, bare SQL that writes the same rows, and LangGraph.

/** The settings that runs of these agents need. */
export const runSettings = {
  NOEMA_WEBHOOK_ALLOW: '127.0.0.1',
  NOEMA_PROVIDER_ALLOW: '127.0.0.1',
  NOEMA_EMBEDDINGS: 'off',
}

/** Agents of the built-in model and of a scripted one, which read a Brain with a few facts. */
export const addAgents = async (noema: Noema, modelUrl: string): Promise<{ extractive: string; scripted: string }> => {
  await addFacts(noema, 'facts')
  const reading = { brains: [{ handle: 'facts', access: 'read_only' }] }
  const extractive = await addAgent(noema, 'extractive', { ...reading, model: 'noema/extractive' })
  const provider = { kind: 'openai-compatible', baseUrl: `${modelUrl}/v1`, apiKey: 'none' }
  await noema.call('PUT', '/v1/providers/scripted', provider)
  return { extractive, scripted: await addAgent(noema, 'scripted', { ...reading, model: 'scripted/scripted' }) }
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

/** Runs of LangGraph over a database of its own. Its packages are installed. */
export const startLangGraph = async (
  database: ScratchDatabase,
  modelUrl: string,
): Promise<{ server: ServerProcess; task: () => Promise<void> }> => {
  const args = [database.url, `${modelUrl}/`, peersFolder]
  const server = await startServer({ script: 'bench/peers/langgraph-server.ts', args })
  const task = async () => {
    const response = await fetch(`http://127.0.0.1:${server.port}/`, { method: 'POST', body: '{"input":"Who?"}' })
    if (!response.ok) throw new Error(`the peer answered ${response.status}: ${await response.text()}`)
    await response.arrayBuffer()
  }
  return { server, task }
}
