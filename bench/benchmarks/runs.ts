import { type Bench, type Benchmark, interleave } from '../parts/benchmark.ts'
import { startServer } from '../parts/child.ts'
import type { Comparison } from '../parts/comparison.ts'
import { createPostgresCpu } from '../parts/costs.ts'
import { startNoema } from '../parts/noema.ts'
import { isInstalled } from '../parts/peer-packages.ts'
import { createRate, doAtOnce } from '../parts/subject.ts'
import { completeRun } from '../runs/agents.ts'
import { addAgents, openBareRuns, runSettings, startLangGraph } from '../runs/subjects.ts'

const atOnce = 16

const run = async (bench: Bench): Promise<Comparison[]> => {
  const database = await bench.postgres.createDatabase('runs')
  const noema = await startNoema(database, bench.profileFolder, runSettings)
  const model = await startServer({ script: 'bench/floors/model-server.ts' })
  const modelUrl = `http://127.0.0.1:${model.port}`
  const { effort } = bench
  const rate = (name: string, task: () => Promise<void>, readCpu?: () => Record<string, number | undefined>) =>
    createRate(name, 'runs', () => doAtOnce(atOnce, effort.warmUpSeconds + effort.seconds, task), readCpu)
  const peer = isInstalled('@langchain/langgraph')
    ? await startLangGraph(await bench.postgres.createDatabase('runs_peer'), modelUrl)
    : undefined
  const { extractive, scripted } = await addAgents(noema, modelUrl)
  const bare = await openBareRuns(database, noema, atOnce)
  try {
    const readPostgres = await createPostgresCpu(database)
    const readCpu = () => ({ server: noema.cpuMilliseconds(), PostgreSQL: readPostgres() })
    const mine = rate('Noema', () => completeRun(noema, extractive), readCpu)
    const floor = rate('raw SQL', bare.task)
    const steps = rate('Noema', () => completeRun(noema, scripted), readCpu)
    const graph = peer && rate('LangGraph', peer.task)
    const turns = [mine, floor, steps, ...(graph ? [graph] : [])].map(({ turn }) => turn)
    await interleave(effort.repetitions, turns)
    return [
      { what: 'built-in model: runs/s', noema: mine.perSecond, floor: floor.perSecond, cores: mine.cores() },
      { what: 'five scripted steps: runs/s', noema: steps.perSecond, peer: graph?.perSecond, cores: steps.cores() },
    ]
  } finally {
    await bare.close()
    for (const server of [peer?.server, model, noema]) await server?.stop()
  }
}

export const runs: Benchmark = {
  name: 'runs',
  about: `Runs of agents from POST to their end over HTTP, ${atOnce} at once: of the built-in model, which searches a Brain and answers, and of a scripted model that calls a tool twice, five steps in all.`,
  floor:
    'pg alone, in this process: the same rows in as many transactions. It looks nothing up, searches nothing, streams to nobody, tells nobody and answers no request.',
  peer: 'LangGraph with its PostgreSQL checkpointer behind node:http, with the same scripted model; its tool answers at once and searches nothing.',
  run,
}
