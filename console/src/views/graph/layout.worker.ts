import { type Layout, layOut } from './layout.ts'

// Runs outside the main thread, so that the page responds during the layout.

const rounds = 12
const iterations = 25

addEventListener('message', ({ data }: MessageEvent<{ turn: number; layout: Layout }>) => {
  let left = rounds
  for (const positions of layOut(data.layout, { rounds, iterations })) {
    left--
    postMessage({ turn: data.turn, positions, isLast: left === 0 })
  }
})
