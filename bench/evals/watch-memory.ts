import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'
import type { Memory, ToMemory } from './messages.ts'

// Loaded into a server before it starts: samples its memory, and answers with the peaks since the last answer.

const sampleMilliseconds = 20
/** A collection of garbage takes time, so samples with one are rarer. */
const collectMilliseconds = 500

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const read = () => {
  const { rss, heapUsed } = process.memoryUsage()
  return { resident: rss / 2 ** 20, heap: heapUsed / 2 ** 20 }
}

const watch = () => {
  let peak = read()
  const sample = () => {
    const { resident, heap } = read()
    peak = { resident: Math.max(peak.resident, resident), heap: Math.max(peak.heap, heap) }
  }
  let timer = setInterval(sample, sampleMilliseconds).unref()
  const sampleHeld = () => {
    collect()
    sample()
  }
  process.on('message', (message: ToMemory) => {
    if (message.do !== 'memory') return
    sample()
    collect()
    const answer: Memory = { peak, live: read() }
    peak = answer.live
    clearInterval(timer)
    timer = (
      message.collects ? setInterval(sampleHeld, collectMilliseconds) : setInterval(sample, sampleMilliseconds)
    ).unref()
    process.send?.(answer)
  })
  process.channel?.unref()
}

if (isMainThread && process.send) watch()
