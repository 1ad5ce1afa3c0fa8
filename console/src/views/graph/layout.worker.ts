import { type Layout, layOut } from './layout.ts'

// Beside the page's own thread, so that the page answers while nodes still look for their places.

const rounds = 12
const iterations = 25

addEventListener('message', ({ data }: MessageEvent<{ turn: number; layout: Layout }>) => {
  for (const places of layOut(data.layout, { rounds, iterations })) postMessage({ turn: data.turn, places })
})
