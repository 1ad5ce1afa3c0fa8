import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { listChildren, listThreads } from '../parts/child.ts'
import { findPostmaster } from '../parts/costs.ts'
import { createSeries } from '../parts/subject.ts'
import type { Goal } from './cases.ts'
import type { Node } from './nodes.ts'
import type { Subject } from './subjects.ts'

/** A node without requests. Its goal bounds the figure itself, as there is no floor. */
export const idleCase: { name: string; goals: { total: Goal } } = { name: 'idle', goals: { total: { max: 5 } } }

const settleMilliseconds = 1_500

/** The nanoseconds that each thread of a process and its children has run: an idle process takes less than a clock tick. */
const readThreads = (pid: number): Map<string, number> => {
  const times = new Map<string, number>()
  for (const process of [pid, ...listChildren(pid)])
    for (const thread of listThreads(process)) {
      const file = `/proc/${process}/task/${thread}/schedstat`
      try {
        times.set(file, Number(readFileSync(file, 'utf8').split(' ')[0]))
      } catch {
        // It ended meanwhile.
      }
    }
  return times
}

const sumSpent = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): number =>
  [...after].reduce((sum, [thread, time]) => sum + time - (before.get(thread) ?? 0), 0)

/** The milliseconds of CPU that an idle node and its PostgreSQL spend in a second. */
export const createIdle = async ({ noema, database }: Node, seconds: number): Promise<Subject> => {
  const postmaster = await findPostmaster(database)
  const create = () => createSeries('Noema', 'ms/s', 'less')
  const [service, postgres, total] = [create(), create(), create()]
  const read = () => [readThreads(noema.pid), readThreads(postmaster)] as const
  return {
    series: () => ({ service, postgres, total }),
    turn: async (counts) => {
      noema.resume()
      await delay(settleMilliseconds)
      const before = read()
      await delay(seconds * 1000)
      const after = read()
      noema.pause()
      if (!counts) return
      const [ours, theirs] = [sumSpent(before[0], after[0]), sumSpent(before[1], after[1])]
      const toRate = (nanoseconds: number) => nanoseconds / 1e6 / seconds
      service.values.push(toRate(ours))
      postgres.values.push(toRate(theirs))
      total.values.push(toRate(ours + theirs))
    },
  }
}
