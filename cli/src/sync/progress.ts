import { Presets, SingleBar } from 'cli-progress'
import type { Output } from '../output.ts'

/** Draws how many of `total` files are done; call `update` with the number and `stop` at the end. */
export const startProgress = (stderr: Output, total: number) => {
  const bar = new SingleBar(
    { stream: stderr, format: '{bar} {value}/{total} files', hideCursor: true, clearOnComplete: true },
    Presets.shades_classic,
  )
  bar.start(total, 0)
  return { update: (done: number) => bar.update(done), stop: () => bar.stop() }
}
