import { Presets, SingleBar } from 'cli-progress'
import type { Context, GlobalOptions } from '../context.ts'
import { isLively, writeLine } from '../output.ts'
import { describeSeconds, type Progress } from './estimate-remaining.ts'

/** Reports how much is done; a `total` that differs from the one at the beginning replaces it. */
export type Update = (progress: { done: number } & Partial<Progress>) => void

type Task = { verb: string; total: number }

const describeRest = ({ secondsLeft }: Partial<Progress>): string =>
  secondsLeft === undefined ? '' : `, ${describeSeconds(secondsLeft)} left`

/** Draws a bar while something is done. */
const withBar = async <Result>(
  { stderr }: Context,
  { verb, total }: Task,
  work: (update: Update) => Promise<Result>,
): Promise<Result> => {
  const format = `${verb} {bar} {value}/{total}{rest}`
  const bar = new SingleBar({ stream: stderr, format, hideCursor: true, clearOnComplete: true }, Presets.shades_classic)
  bar.start(total, 0, { rest: '' })
  try {
    return await work((progress) => {
      if (progress.total !== undefined) bar.setTotal(progress.total)
      bar.update(progress.done, { rest: describeRest(progress) })
    })
  } finally {
    bar.stop()
  }
}

const lineSeconds = 5

/** Writes a line at first and then every few seconds while something is done. */
const withLines = <Result>(
  { stderr }: Context,
  { verb, total: given, now }: Task & { now: () => number },
  work: (update: Update) => Promise<Result>,
): Promise<Result> => {
  let last = Number.NEGATIVE_INFINITY
  return work((progress) => {
    if (now() - last < lineSeconds * 1000) return
    last = now()
    void writeLine(stderr, `${verb}: ${progress.done} of ${progress.total ?? given}${describeRest(progress)}`)
  })
}

/** Shows the progress of work at a terminal, and with `now` as lines elsewhere; not with --json. */
export const withProgress = <Result>(
  context: Context,
  { json = false }: GlobalOptions,
  task: Task & { now?: () => number },
  work: (update: Update) => Promise<Result>,
): Promise<Result> => {
  const { stderr, env } = context
  if (isLively(stderr, env, json)) return withBar(context, task, work)
  const { now } = task
  return now === undefined || json ? work(() => undefined) : withLines(context, { ...task, now }, work)
}
