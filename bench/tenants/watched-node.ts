import { fileURLToPath } from 'node:url'
import { type Noema, startNoema } from '../parts/noema.ts'
import type { ScratchDatabase } from '../parts/scratch-postgres.ts'
import type { FromWatch, Watched } from './messages.ts'

/** A node whose turns can be watched while something is done to it. */
export type WatchedNode = { noema: Noema; watch<Result>(task: () => Promise<Result>): Promise<[Result, Watched]> }

/** `isProfiled`: also reports the functions of the longest turns, which makes them longer. */
export const startWatched = async (
  database: ScratchDatabase,
  settings: Record<string, string>,
  isProfiled: boolean,
): Promise<WatchedNode> => {
  let receive: (message: FromWatch) => void = () => undefined
  const preload = fileURLToPath(new URL('watch-turns.ts', import.meta.url))
  const noema = await startNoema(database, undefined, settings, {
    nodeArgs: ['--import', preload],
    onMessage: (message) => receive(message as FromWatch),
  })
  const ask = (order: 'begin' | 'end') =>
    new Promise<FromWatch>((resolve) => {
      receive = resolve
      noema.send({ do: order, isProfiled })
    })
  return {
    noema,
    watch: async (task) => {
      await ask('begin')
      const result = await task()
      const answer = await ask('end')
      if ('watched' in answer) return [result, answer.watched]
      throw new Error('The watched server answered something else.')
    },
  }
}

const shownTurns = 3

/** The longest turns, and what took them. */
export const describeTurns = ({ blocks }: Watched): string =>
  blocks
    .slice(0, shownTurns)
    .map(
      ({ milliseconds, causes }) =>
        `  ${milliseconds.toFixed(1)} ms:\n${causes.map((cause) => `    ${cause}`).join('\n')}`,
    )
    .join('\n')
