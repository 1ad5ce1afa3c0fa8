import type { Page } from 'playwright-core'

// The tasks of a page's main thread, from Chromium's trace: the elapsed time of each, and its CPU time. On a busy machine, only
// the CPU time is meaningful.

/** A task of the main thread, in milliseconds. */
export type Task = { wall: number; cpu: number; name: string; parts: { name: string; cpu: number }[] }

type TraceEvent = { name: string; ph: string; pid: number; tid: number; ts: number; dur?: number; tdur?: number }

/** Chromium's names for one task of a thread's loop. */
const turnNames = new Set(['ThreadControllerImpl::RunTask', 'RunTask'])

const isMain = ({ name, args }: { name: string; args?: { name?: string } }): boolean =>
  name === 'thread_name' && args?.name === 'CrRendererMain'

/** The tasks of the main thread, each with the parts that took its time. */
const toTasks = (events: readonly TraceEvent[]): Task[] => {
  const mains = new Set(events.filter(isMain).map(({ pid, tid }) => `${pid} ${tid}`))
  const own = events.filter(({ ph, pid, tid }) => ph === 'X' && mains.has(`${pid} ${tid}`)).sort((a, b) => a.ts - b.ts)
  const turns = own.filter(({ name }) => turnNames.has(name))
  let next = 0
  return turns.map((turn) => {
    const parts: TraceEvent[] = []
    const end = turn.ts + (turn.dur ?? 0)
    while (next < own.length && (own[next]?.ts ?? 0) <= end) {
      const part = own[next]
      if (part && part.ts >= turn.ts && !turnNames.has(part.name)) parts.push(part)
      next++
    }
    const named = parts.map(({ name, tdur = 0 }) => ({ name, cpu: tdur / 1000 })).sort((a, b) => b.cpu - a.cpu)
    return { wall: (turn.dur ?? 0) / 1000, cpu: (turn.tdur ?? 0) / 1000, name: named[0]?.name ?? '', parts: named }
  })
}

/** Traces a page's main thread until the returned function is called, which returns its tasks. */
export const traceTasks = async (page: Page): Promise<() => Promise<Task[]>> => {
  const devtools = await page.context().newCDPSession(page)
  const events: TraceEvent[] = []
  devtools.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  await devtools.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: {
      recordMode: 'recordAsMuchAsPossible',
      includedCategories: ['toplevel', 'devtools.timeline', 'v8', '__metadata'],
      excludedCategories: ['*'],
    },
  })
  return async () => {
    const whole = new Promise<void>((resolve) => devtools.once('Tracing.tracingComplete', () => resolve()))
    await devtools.send('Tracing.end')
    await whole
    await devtools.detach()
    return toTasks(events)
  }
}
