import { Presets, SingleBar } from 'cli-progress'
import type { Output } from '../output.ts'

/** Draws how many of `total` files or documents are done; call `update` with the number and `stop` at the end. */
export const startProgress = (stderr: Output, verb: string, total: number) => {
  const bar = new SingleBar(
    { stream: stderr, format: `${verb} {bar} {value}/{total}`, hideCursor: true, clearOnComplete: true },
    Presets.shades_classic,
  )
  bar.start(total, 0)
  return { update: (done: number) => bar.update(done), stop: () => bar.stop() }
}
