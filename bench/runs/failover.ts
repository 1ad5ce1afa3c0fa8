import { setTimeout as delay } from 'node:timers/promises'
import { startNoema } from '../parts/noema.ts'
import type { ScratchDatabase } from '../parts/scratch-postgres.ts'
import { say } from '../webhooks/parts.ts'
import { addAgent, addFacts, startRun } from './agents.ts'

/** How long after the loss of its node a run goes on elsewhere. The model of `model` does not answer until then. */
export const measureFailover = async (
  database: ScratchDatabase,
  settings: Record<string, string>,
  model: { baseUrl: string; hang(isHanging: boolean): Promise<void> },
): Promise<void> => {
  const lost = await startNoema(database, undefined, settings)
  await addFacts(lost, 'failover')
  await lost.call('PUT', '/v1/providers/hanging', { kind: 'openai-compatible', baseUrl: model.baseUrl, apiKey: 'none' })
  const agentId = await addAgent(lost, 'failover', {
    model: 'hanging/scripted',
    brains: [{ handle: 'failover', access: 'read_only' }],
  })
  await model.hang(true)
  const { runId } = await startRun(lost, agentId)
  await delay(2_000)
  process.kill(lost.pid, 'SIGKILL')
  const killedAt = performance.now()
  await model.hang(false)
  const other = await startNoema(database, undefined, settings)
  try {
    for (;;) {
      const { rows } = await database.pool.query<{ state: string }>('select state from runs where id = $1', [runId])
      if (rows[0]?.state === 'completed') break
      if (performance.now() - killedAt > 60_000) throw new Error(`the run is ${rows[0]?.state} a minute later`)
      await delay(50)
    }
    const took = ((performance.now() - killedAt) / 1000).toFixed(1)
    say(`failover: completed on another node ${took} s after its own was killed (goal: goes on within 15)`)
  } finally {
    await other.stop()
  }
}
