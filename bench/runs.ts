import { parseArgs } from 'node:util'
import { startServer } from './parts/child.ts'
import { countingSettings, createCostReader } from './parts/costs.ts'
import { describeMachine } from './parts/machine.ts'
import { startNoema } from './parts/noema.ts'
import { isInstalled } from './parts/peer-packages.ts'
import { machineText } from './parts/report.ts'
import { startScratchPostgres } from './parts/scratch-postgres.ts'
import { addAgent, completeRun, startRun } from './runs/agents.ts'
import { compare, type Subject } from './runs/compare.ts'
import { measureFailover } from './runs/failover.ts'
import { measureStart } from './runs/start.ts'
import { addAgents, openBareRuns, runSettings, startLangGraph } from './runs/subjects.ts'
import { measureWaiting } from './runs/waiting.ts'
import { atRate, describe, say, startReceiverServer } from './webhooks/parts.ts'

// How fast runs of agents start, go on and end, beside bare SQL that writes the same rows. See README.md.
// Run: node bench/runs.ts [start | extractive | steps | webhooks | waiting | failover …] [--seconds n] [--statements]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
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
const postgres = await startScratchPostgres(countingSettings)
const database = await postgres.createDatabase('runs')
const noema = await startNoema(database, values.profile, runSettings)
const model = await startServer({ script: 'bench/floors/model-server.ts' })
const modelUrl = `http://127.0.0.1:${model.port}`
const receiver = await startReceiverServer()

try {
  const { extractive, scripted } = await addAgents(noema, modelUrl)
  const ours = { name: 'Noema', database, readCosts: await createCostReader(noema.pid, database) }

  if (isWanted('start')) await measureStart(noema, database, extractive)
  if (isWanted('extractive')) {
    const { task, close } = await openBareRuns(database, noema, rounds.atOnce)
    const bare: Subject = {
      ...{ name: 'the same rows by bare SQL', database, task },
      readCosts: await createCostReader(process.pid, database),
    }
    const subject = { ...ours, task: () => completeRun(noema, extractive) }
    await compare('extractive, end to end', subject, bare, rounds)
    await close()
  }
  if (isWanted('steps') && isInstalled('@langchain/langgraph')) {
    const peerDatabase = await postgres.createDatabase('peer')
    const { server, task } = await startLangGraph(peerDatabase, modelUrl)
    const theirs: Subject = {
      ...{ name: 'LangGraph with its PostgreSQL checkpointer', database: peerDatabase, task },
      readCosts: await createCostReader(server.pid, peerDatabase),
    }
    const subject = { ...ours, task: () => completeRun(noema, scripted) }
    await compare('five scripted steps', subject, theirs, rounds)
    await server.stop()
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
    await measureFailover(await postgres.createDatabase('failover'), runSettings, { baseUrl: `${modelUrl}/v1`, hang })
  }
} finally {
  await receiver.stop()
  await model.stop()
  await noema.stop()
  await postgres.stop()
}
