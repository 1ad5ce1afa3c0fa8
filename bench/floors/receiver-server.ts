import { percentile } from '../parts/statistics.ts'
import { serveBare } from './bare-server.ts'

// Takes deliveries as fast as Node can, and tells how long after their events' time the first bytes came.

let delays: number[] = []

serveBare(async (request, body) => {
  const now = performance.timeOrigin + performance.now()
  if (request.method === 'GET') {
    const sorted = Float64Array.from(delays).sort()
    const told = { count: delays.length, p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) }
    if (request.url === '/reset') delays = []
    return { status: 200, text: JSON.stringify(told) }
  }
  const occurredAt = /"occurredAt":"([^"]+)"/.exec(body.toString())?.[1]
  delays.push(now - Date.parse(occurredAt ?? ''))
  return { status: 204, text: '' }
})
