import { signUpAccount } from './account.ts'
import type { Attack, Means } from './attack.ts'
import { connectionAttacks } from './connections.ts'
import { contentAttacks } from './contents.ts'
import { evalAttacks } from './evals.ts'
import { fileAttacks } from './files.ts'
import { makerAttacks } from './makers.ts'
import { runAttacks } from './runs.ts'

// The attacker, in a separate process: it prepares, starts and stops on request, and confirms each.

type Order = { do: 'prepare'; names: readonly string[]; port: number; means: Means } | { do: 'begin' } | { do: 'stop' }

export const attacks: readonly Attack[] = [
  ...connectionAttacks,
  ...contentAttacks,
  ...fileAttacks,
  ...makerAttacks,
  ...runAttacks,
  ...evalAttacks,
]

type Prepared = { begin(signal: AbortSignal): Promise<unknown> }

/** Each attack is by an account of its own where it is alone, and all of one account where they come at once. */
const prepare = async (names: readonly string[], port: number, means: Means): Promise<Prepared[]> => {
  const account = await signUpAccount(port)
  const prepared: Prepared[] = []
  for (const attack of attacks.filter(({ name }) => names.includes(name))) {
    const state = await attack.prepare?.(account, means)
    prepared.push({ begin: (signal) => attack.run(account, { ...means, signal }, state) })
  }
  return prepared
}

let prepared: Prepared[] = []
let stopping = new AbortController()
let running: Promise<unknown> = Promise.resolve()

const obey = async (order: Order): Promise<void> => {
  if (order.do === 'prepare') prepared = await prepare(order.names, order.port, order.means)
  else if (order.do === 'begin') {
    stopping = new AbortController()
    running = Promise.all(prepared.map(({ begin }) => begin(stopping.signal)))
  } else {
    stopping.abort()
    await running
  }
}

// The measuring process lists the attacks, too.
if (process.send) {
  process.once('disconnect', () => process.exit())
  process.on('message', (order: Order) => {
    obey(order).then(
      () => process.send?.({ done: true }),
      (error: unknown) => process.send?.({ error: String(error) }),
    )
  })
}
