import { parseArgs } from 'node:util'
import { createLog } from '../server/src/shared/log.ts'
import { openDatabase } from '../server/src/storage/database.ts'
import { writeRun } from './floors/run-rows.ts'
import { startServer } from './parts/child.ts'
import { countingSettings, createCostReader } from './parts/costs.ts'
import { describeMachine } from './parts/machine.ts'
import { startNoema } from './parts/noema.ts'
import { machineText } from './parts/report.ts'
import { startScratchPostgres } from './parts/scratch-postgres.ts'
import { addAgent, addFacts, completeRun, startRun } from './runs/agents.ts'
import { compare, type Subject } from './runs/compare.ts'
import { measureFailover } from './runs/failover.ts'
import { measureStart } from './runs/start.ts'
import { measureWaiting } from './runs/waiting.ts'
import { atRate, describe, say, startReceiverServer } from './webhooks/parts.ts'

// How fast runs of agents start, go on and end, beside bare SQL that writes the same rows. See README.md.
// Run: node bench/runs.ts [start | extractive | steps | webhooks | waiting | failover …] [--peer folder] [--seconds n] [--statements]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    peer: { type: 'string' },
    profile: { type: 'string' },
    seconds: { type: 'string', default: '5' },
    repetitions: { type: 'string', default: '5' },
    statements: { type: 'boolean', default: false },
  },
})
const isWanted = (part: string) => positionals.length === 0 || positionals.includes(part)
const [seconds, repetitions] = [Number(values.seconds), Number(values.repetitions)]
const rounds = { repetitions, seconds, atOnce: 16, listsStatements: values.statements }

say(machineText(await describeMachine()))
const settings = {
  NOEMA_WEBHOOK_ALLOW: '127.0.0.1',
  NOEMA_PROVIDER_ALLOW: '127.0.0.1',
  NOEMA_EMBEDDINGS: 'off',
}
const postgres = await startScratchPostgres(countingSettings)
const database = await postgres.createDatabase('runs')
const noema = await startNoema(database, values.profile, settings)
const model = await startServer({ script: 'bench/floors/model-server.ts' })
const modelUrl = `http://127.0.0.1:${model.port}`
const receiver = await startReceiverServer()

try {
  await addFacts(noema, 'facts')
  const reading = { brains: [{ handle: 'facts', access: 'read_only' }] }
  const extractive = await addAgent(noema, 'extractive', { ...reading, model: 'noema/extractive' })
  const provider = { kind: 'openai-compatible', baseUrl: `${modelUrl}/v1`, apiKey: 'none' }
  await noema.call('PUT', '/v1/providers/scripted', provider)
  const scripted = await addAgent(noema, 'scripted', { ...reading, model: 'scripted/scripted' })
  const ours = { name: 'Noema', database, readCosts: await createCostReader(noema.pid, database) }

  if (isWanted('start')) await measureStart(noema, database, extractive)
  if (isWanted('extractive')) {
    const found = await database.pool.query<{ brainId: number }>('select brain_id as "brainId" from brains')
    const brainId = found.rows[0]?.brainId ?? 0
    const { pool, close } = openDatabase(database.url, createLog('error'), rounds.atOnce)
    const bare: Subject = {
      ...{ name: 'the same rows by bare SQL', database, readCosts: await createCostReader(process.pid, database) },
      task: () => writeRun(pool, { organizationId: noema.organizationId, brainId }),
    }
    const subject = { ...ours, task: () => completeRun(noema, extractive) }
    await compare('extractive, end to end', subject, bare, rounds)
    await close()
  }
  if (isWanted('steps') && values.peer !== undefined) {
    const peerDatabase = await postgres.createDatabase('peer')
    const args = [peerDatabase.url, `${modelUrl}/`, values.peer]
    const peer = await startServer({ script: 'bench/peers/langgraph-server.ts', args })
    const ask = async () => {
      const response = await fetch(`http://127.0.0.1:${peer.port}/`, { method: 'POST', body: '{"input":"Who?"}' })
      if (!response.ok) throw new Error(`the peer answered ${response.status}: ${await response.text()}`)
      await response.arrayBuffer()
    }
    const theirs: Subject = {
      ...{ name: 'LangGraph with its PostgreSQL checkpointer', database: peerDatabase, task: ask },
      readCosts: await createCostReader(peer.pid, peerDatabase),
    }
    const subject = { ...ours, task: () => completeRun(noema, scripted) }
    await compare('five scripted steps', subject, theirs, rounds)
    await peer.stop()
  }
  if (isWanted('webhooks')) {
    await noema.call('POST', '/v1/webhooks', { url: receiver.hook, events: ['run.created'] })
    await atRate(300, 100, () => startRun(noema, extractive))
    await receiver.arrived(300)
    await receiver.reset()
    await atRate(1_000, 100, () => startRun(noema, extractive))
    const received = await receiver.arrived(1_000)
    say(`webhooks: run.created to its receiver at 100 runs/s ${describe(received)} (goal: p50 at most 200)`)
  }
  if (isWanted('waiting')) {
    const asking = await addAgent(noema, 'asking', { model: 'scripted/scripted', tools: ['ask_human'] })
    await measureWaiting(noema, database, asking)
  }
  if (isWanted('failover')) {
    const hang = async (isHanging: boolean) => void (await fetch(`${modelUrl}${isHanging ? '/hang' : '/answer'}`))
    await measureFailover(await postgres.createDatabase('failover'), settings, { baseUrl: `${modelUrl}/v1`, hang })
  }
} finally {
  await receiver.stop()
  await model.stop()
  await noema.stop()
  await postgres.stop()
}
