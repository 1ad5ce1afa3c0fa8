import { addAgent, completeRun, openBareRuns } from '../parts/agents.ts'
import { type Bench, type Benchmark, interleave } from '../parts/benchmark.ts'
import type { Comparison } from '../parts/comparison.ts'
import { createPostgresCpu } from '../parts/costs.ts'
import { startNoema } from '../parts/noema.ts'
import { createRate, doAtOnce, type ReadCpu } from '../parts/subject.ts'

const atOnce = 16

const run = async (bench: Bench): Promise<Comparison[]> => {
  const database = await bench.postgres.createDatabase('runs')
  const noema = await startNoema(database, bench.profileFolder, { NOEMA_EMBEDDINGS: 'off' })
  const { repetitions, warmUpSeconds, seconds } = bench.effort
  const rate = (name: string, task: () => Promise<void>, readCpu?: ReadCpu) =>
    createRate(name, 'runs', () => doAtOnce(atOnce, warmUpSeconds + seconds, task), readCpu)
  const agentId = await addAgent(noema)
  const bare = await openBareRuns(database, noema, atOnce)
  try {
    const readPostgres = await createPostgresCpu(database)
    const readCpu = () => ({ server: noema.cpuMilliseconds(), PostgreSQL: readPostgres() })
    const mine = rate('Noema', () => completeRun(noema, agentId), readCpu)
    const floor = rate('raw SQL', bare.task)
    await interleave(repetitions, [mine.turn, floor.turn])
    return [{ what: 'built-in model: runs/s', noema: mine.perSecond, floor: floor.perSecond, cores: mine.cores() }]
  } finally {
    await bare.close()
    await noema.stop()
  }
}

export const runs: Benchmark = {
  name: 'runs',
  about: `Runs of agents from POST to their end over HTTP, ${atOnce} at once, of the built-in model, which searches a Brain and answers.`,
  floor:
    'pg alone, in this process: the same rows in as many transactions. It looks nothing up, searches nothing, streams to nobody, notifies nobody and answers no request.',
  run,
}
