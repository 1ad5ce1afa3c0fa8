import { serveBare } from './bare-server.ts'

// Takes deliveries and never answers them; counts them.

let count = 0

serveBare(async (request) => {
  if (request.method === 'GET') {
    const received = { count, p50: 0, p99: 0, max: 0 }
    if (request.url === '/reset') count = 0
    return { status: 200, text: JSON.stringify(received) }
  }
  count++
  return new Promise(() => {})
})
