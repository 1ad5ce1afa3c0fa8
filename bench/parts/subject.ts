import type { Bench, Turn } from './benchmark.ts'
import type { Cores, Series } from './comparison.ts'
import type { LoadOrder } from './load.ts'
import { median, percentile } from './statistics.ts'

// The subjects that a benchmark alternates between: requests of many clients, or one repeated task.

/** Time on a processor until now, by process, in milliseconds. */
export type ReadCpu = () => Record<string, number | undefined>

export const createSeries = (name: string, unit: string, better: Series['better']): Series => ({
  ...{ name, unit, better },
  values: [],
})

type Cpu = ReturnType<ReadCpu>

/** The CPU of the processes that answer: of each for one of so many pieces of work, and of all together, in microseconds. */
const createCpuSeries = (name: string) => {
  const cpu = createSeries(name, 'µs', 'less')
  const cpuBy: Record<string, Series> = {}
  const add = (before: Cpu, after: Cpu, count: number): void => {
    const spent = Object.keys(after)
      .filter((process) => process !== 'load')
      .map((process): [string, number] => [
        process,
        (((after[process] ?? Number.NaN) - (before[process] ?? Number.NaN)) * 1000) / count,
      ])
    const sum = spent.reduce((all, [, one]) => all + one, 0)
    if (spent.length === 0 || !Number.isFinite(sum)) return
    cpu.values.push(sum)
    for (const [process, each] of spent) {
      cpuBy[process] ??= createSeries(name, 'µs', 'less')
      cpuBy[process].values.push(each)
    }
  }
  return { cpu, cpuBy, add }
}

/** Keeps what processes spent in the rounds that count. */
const createMeter = (readCpu: ReadCpu = () => ({})) => {
  const spent: Record<string, number> = {}
  let milliseconds = 0
  return {
    measure: async <Result>(counts: boolean, work: () => Promise<Result>): Promise<Result> => {
      const [before, startedAt] = [readCpu(), performance.now()]
      const result = await work()
      if (!counts) return result
      milliseconds += performance.now() - startedAt
      for (const [name, after] of Object.entries(readCpu()))
        spent[name] = (spent[name] ?? 0) + (after ?? Number.NaN) - (before[name] ?? Number.NaN)
      return result
    },
    cores: (): Cores | undefined => {
      const shares = Object.entries(spent).map(([name, time]): [string, number] => [name, time / milliseconds])
      return shares.length === 0 ? undefined : Object.fromEntries(shares)
    },
  }
}

export type Requests = {
  /** The name of the rate. */
  unit: string
  order: Omit<LoadOrder, 'seconds' | 'warmUpSeconds'>
  readCpu?: ReadCpu
}

/** The result of requests: the rate, the latency, and processor time for one. */
export type Answered = {
  perSecond: Series
  p50: Series
  p99: Series
  cpu: Series
  /** The CPU of one by the process that spent it. */
  cpuBy: Record<string, Series>
  turn: Turn
  cores(): Cores | undefined
}

/**
 * Requests of many clients, each of which sends its next after its last answer. `onAnswered` is called for all, including
 * the warm-up's.
 */
export const createRequests = (
  { load, effort }: Bench,
  name: string,
  { unit, order, readCpu }: Requests,
  onAnswered: (count: number) => void = () => {},
): Answered => {
  const perSecond = createSeries(name, `${unit}/s`, 'more')
  const [p50, p99] = [createSeries(name, 'ms', 'less'), createSeries(name, 'ms', 'less')]
  const { cpu, cpuBy, add } = createCpuSeries(name)
  const meter = createMeter(readCpu)
  const turn: Turn = async (counts) => {
    const before = readCpu?.() ?? {}
    const result = await meter.measure(counts, () => load.run({ ...order, ...effort }))
    const after = readCpu?.() ?? {}
    onAnswered(result.answered)
    if (!counts) return
    perSecond.values.push(result.perSecond)
    p50.values.push(result.p50)
    p99.values.push(result.p99)
    add(before, after, result.answered)
  }
  return { perSecond, p50, p99, cpu, cpuBy, turn, cores: meter.cores }
}

/** Milliseconds of some work. */
export const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** The result of a repeated task: the middle and the slow end of each turn's times. */
export type Timed = { p50: Series; p99: Series; cpu: Series; cpuBy: Record<string, Series>; turn: Turn }

/** Does something again and again for a turn. It answers its milliseconds, which need not be all that it took. */
export const createTimed = (
  { effort }: Pick<Bench, 'effort'>,
  name: string,
  once: () => Promise<number>,
  readCpu?: ReadCpu,
): Timed => {
  const [p50, p99] = [createSeries(name, 'ms', 'less'), createSeries(name, 'ms', 'less')]
  const { cpu, cpuBy, add } = createCpuSeries(name)
  const during = async (seconds: number): Promise<number[]> => {
    const times: number[] = []
    for (const until = performance.now() + seconds * 1000; performance.now() < until; ) times.push(await once())
    return times.sort((one, other) => one - other)
  }
  const turn: Turn = async (counts) => {
    await during(effort.warmUpSeconds)
    const before = readCpu?.() ?? {}
    const times = await during(effort.seconds)
    if (!counts) return
    add(before, readCpu?.() ?? {}, times.length)
    p50.values.push(median(times))
    p99.values.push(percentile(times, 0.99))
  }
  return { p50, p99, cpu, cpuBy, turn }
}
