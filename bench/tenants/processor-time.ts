import { readdirSync, readFileSync } from 'node:fs'
import { readParent } from '../parts/child.ts'

// The use of the processors: the time that each thread ran, and the time that it waited to run because others ran.

/** Nanoseconds by name: of a thread of the node, of its embedding process, of PostgreSQL, of the clients. */
export type Reading = ReadonlyMap<string, { ran: number; waited: number }>
export type Watched = { node: number; postgres: number; victim: number; attacker: number }

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // It ended meanwhile.
    return ''
  }
}

const list = (path: string): number[] => {
  try {
    return readdirSync(path).map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

/** A reading of now; empty on systems without these figures. */
export const readProcessorTime = ({ node, postgres, victim, attacker }: Watched): Reading => {
  const sums = new Map<string, { ran: number; waited: number }>()
  const addThread = (process: number, thread: number, name: string) => {
    const [ran = 0, waited = 0] = read(`/proc/${process}/task/${thread}/schedstat`).split(' ').map(Number)
    const sum = sums.get(name) ?? { ran: 0, waited: 0 }
    sums.set(name, { ran: sum.ran + ran, waited: sum.waited + waited })
  }
  const add = (process: number, toName: (thread: number) => string) => {
    for (const thread of list(`/proc/${process}/task`)) addThread(process, thread, toName(thread))
  }
  add(node, (thread) => (thread === node ? 'main' : read(`/proc/${node}/task/${thread}/comm`).trim()))
  add(victim, () => 'victim')
  add(attacker, () => 'attacker')
  for (const process of list('/proc')) {
    const parent = readParent(process)
    if (parent === postgres) add(process, () => 'postgres')
    else if (parent === node) add(process, () => 'embedding')
  }
  return sums
}

/** Describes the difference of two readings, in milliseconds a second, the largest first. */
export const describeProcessorTime = (before: Reading, after: Reading, seconds: number): string =>
  [...after]
    .map(([name, { ran, waited }]) => {
      const earlier = before.get(name) ?? { ran: 0, waited: 0 }
      const perSecond = (nanoseconds: number) => Math.max(0, nanoseconds) / 1e6 / seconds
      return { name, ran: perSecond(ran - earlier.ran), waited: perSecond(waited - earlier.waited) }
    })
    .filter(({ ran }) => ran >= 1)
    .toSorted((a, b) => b.ran - a.ran)
    .map(({ name, ran, waited }) => `${name} ${ran.toFixed(0)} (${waited.toFixed(0)})`)
    .join(', ')
