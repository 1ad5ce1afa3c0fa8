import { percentile } from '../parts/statistics.ts'
import { serveBare } from './bare-server.ts'

// Takes deliveries as fast as Node can, and reports the delay of their first bytes after their events' time.

let delays: number[] = []

serveBare(async (request, body) => {
  const now = performance.timeOrigin + performance.now()
  if (request.method === 'GET') {
    const sorted = Float64Array.from(delays).sort()
    const [p50, p99, max] = [0.5, 0.99, 1].map((share) => percentile(sorted, share))
    if (request.url === '/reset') delays = []
    return { status: 200, text: JSON.stringify({ count: sorted.length, p50, p99, max }) }
  }
  const time = /"(?:occurredAt|timestamp)":"([^"]+)"/.exec(body.toString())?.[1]
  delays.push(now - Date.parse(time ?? ''))
  return { status: 204, text: '' }
})
