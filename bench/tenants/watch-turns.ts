import { type Profiler, Session } from 'node:inspector/promises'
import { isMainThread } from 'node:worker_threads'
import type { Block, FromWatch, ToWatch } from './messages.ts'

// Loaded into a server before it starts: measures the turns of its main thread's event loop, each by the processor time that
// it took, so that other work on the machine does not count. Turns that follow each other within a few milliseconds count as one.

const maxBlocks = 5
const sampleMicroseconds = 250
const turnMilliseconds = 2

const cpuMilliseconds = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

type Turn = { began: bigint; ended: bigint; milliseconds: number }

/** The time of our own functions in a turn, with all calls below them, the largest first. */
const findCauses = ({ nodes, samples = [], timeDeltas = [], startTime }: Profiler.Profile, turn: Turn): string[] => {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children }) => (children ?? []).map((child) => [child, id] as const)))
  const sums = new Map<string, number>()
  let at = BigInt(startTime)
  for (const [index, sample] of samples.entries()) {
    const delta = timeDeltas[index] ?? 0
    at += BigInt(delta)
    if (at * 1_000n < turn.began || at * 1_000n > turn.ended) continue
    const seen = new Set<string>()
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      const frame = byId.get(id)?.callFrame
      if (!frame || frame.functionName === '(root)') continue
      seen.add(
        `${frame.functionName || '(anonymous)'} ${frame.url.replace(/^.*\/(?=[^/]+\/[^/]+$)/, '')}:${frame.lineNumber + 1}`,
      )
    }
    for (const name of seen) sums.set(name, (sums.get(name) ?? 0) + delta / 1_000)
  }
  return [...sums]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 14)
    .map(([name, milliseconds]) => `${milliseconds.toFixed(1).padStart(7)} ms  ${name}`)
}

const watch = () => {
  const session = new Session()
  let longest: Turn[] = []
  let isWatching = false
  let lastCpu = 0
  let lastTime = 0n
  let total = 0
  const note = (turn: Turn) => {
    longest.push(turn)
    longest.sort((a, b) => b.milliseconds - a.milliseconds)
    longest.length = Math.min(longest.length, maxBlocks)
  }
  const endTurn = () => {
    if (!isWatching) return
    const [cpu, time] = [cpuMilliseconds(), process.hrtime.bigint()]
    const milliseconds = cpu - lastCpu
    total += milliseconds
    if (milliseconds > (longest[maxBlocks - 1]?.milliseconds ?? 1)) note({ began: lastTime, ended: time, milliseconds })
    lastCpu = cpuMilliseconds()
    lastTime = process.hrtime.bigint()
    setTimeout(endTurn, turnMilliseconds)
  }
  return {
    begin: async (isProfiled: boolean) => {
      if (isProfiled) {
        session.connect()
        await session.post('Profiler.enable')
        await session.post('Profiler.setSamplingInterval', { interval: sampleMicroseconds })
        await session.post('Profiler.start')
      }
      longest = []
      total = 0
      isWatching = true
      lastCpu = cpuMilliseconds()
      lastTime = process.hrtime.bigint()
      setTimeout(endTurn, turnMilliseconds)
    },
    end: async (isProfiled: boolean): Promise<{ blocks: Block[]; total: number }> => {
      isWatching = false
      const profile = isProfiled ? (await session.post('Profiler.stop')).profile : undefined
      if (isProfiled) session.disconnect()
      const blocks = longest.map((turn) => ({
        milliseconds: turn.milliseconds,
        causes: profile ? findCauses(profile, turn) : [],
      }))
      return { blocks, total }
    },
  }
}

if (isMainThread && process.send) {
  const watching = watch()
  const send = (message: FromWatch) => process.send?.(message)
  process.on('message', async (message: ToWatch) => {
    if (message.do === 'begin') {
      await watching.begin(message.isProfiled)
      send({ begun: true })
    } else send({ watched: await watching.end(message.isProfiled) })
  })
  // The watch does not keep the server from exiting.
  process.channel?.unref()
}
