import { setTimeout as delay } from 'node:timers/promises'
import type { Account } from './account.ts'

/** Something that one tenant does to a node, over and over until the signal says to stop. */
export type Attack = {
  name: string
  about: string
  /** Prepares the attack. `run` gets its result. */
  prepare?(account: Account, means: Means): Promise<unknown>
  run(account: Account, running: Running, prepared: unknown): Promise<unknown>
}

/** An attacker's means besides its account. */
export type Means = { hangingHook: string }
export type Running = Means & { signal: AbortSignal }

/** Does something again and again, so many times at once, until the signal. */
export const repeatedly = (loops: number, { signal }: Running, task: (turn: number) => Promise<unknown>) => {
  let turn = 0
  const loop = async () => {
    while (!signal.aborted) {
      await task(turn++)
      await delay(1)
    }
  }
  return Promise.all(Array.from({ length: loops }, loop))
}

/** Waits, and ends early at the signal. */
export const pause = (milliseconds: number, { signal }: Running): Promise<void> =>
  delay(milliseconds, undefined, { signal }).catch(() => undefined)
