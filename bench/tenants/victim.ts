import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Noema } from '../parts/noema.ts'
import type { ScratchDatabase } from '../parts/scratch-postgres.ts'
import { addTenant, addWatchedBrain, type Received, type Receiver, type Tenant } from '../parts/tenants.ts'
import type { Window } from './windows.ts'

// An honest tenant's experience during an attack by another.

/** An honest tenant: its port, its key, and its Brain with its records. */
export type Honest = { port: number; key: string; path: string; ids: string[] }

export type VictimAnswer = { window: Window } | { error: string }

export type Victim = { pid: number; measure(seconds: number): Promise<Window>; stop(): void }

const maxMilliseconds = 15_000

const prepareBrain = async (tenant: Tenant, receiver: Receiver): Promise<Pick<Honest, 'path' | 'ids'>> => {
  const path = await addWatchedBrain(tenant, 'victim', 1, receiver)
  const ids = Array.from({ length: 200 }, (_, index) => `record-${index}`)
  const made = ids.map((id) => ({ op: 'record.put', id, kind: 'note', fields: { text: `What ${id} says.` } }))
  await tenant.call('POST', `${path}/batch`, { operations: made })
  return { path, ids }
}

// The receiver summarizes; its percentiles are those of the window's deliveries.
const toTimes = ({ count, p50, p99, max }: Received): number[] =>
  count === 0 ? [maxMilliseconds] : [...Array(49).fill(p50), ...Array(48).fill(p50), p99, p99, max]

/** An honest tenant with a Brain, a webhook and a key without caps. */
export const createVictim = async (noema: Noema, database: ScratchDatabase, receiver: Receiver): Promise<Victim> => {
  const tenant = await addTenant(noema, database, 'victim')
  const honest: Honest = { port: noema.port, key: tenant.key, ...(await prepareBrain(tenant, receiver)) }
  const child = fork(fileURLToPath(new URL('victim-process.ts', import.meta.url)), { execArgv: [] })
  return {
    pid: child.pid ?? 0,
    measure: async (seconds) => {
      await receiver.reset()
      const answered = once(child, 'message')
      child.send({ honest, seconds })
      const [answer] = (await answered) as [VictimAnswer]
      if ('error' in answer) throw new Error(`the victim failed: ${answer.error}`)
      answer.window.times.delivery.push(...toTimes(await receiver.received()))
      return answer.window
    },
    stop: () => void child.kill('SIGKILL'),
  }
}
