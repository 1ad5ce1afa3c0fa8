import { fillNotifications, notificationReads, sizes } from './admin-lists/notifications.ts'
import { readParent } from './parts/child.ts'
import { describeMachine } from './parts/machine.ts'
import { startNoema } from './parts/noema.ts'
import { machineText } from './parts/report.ts'
import { startScratchPostgres } from './parts/scratch-postgres.ts'
import { benchOrigin, signUpAt } from './parts/session.ts'
import { median } from './parts/statistics.ts'
import { readProcessorTime } from './tenants/processor-time.ts'
import { say } from './webhooks/parts.ts'

// What reading notifications costs where a million of everything stands behind them. See README.md.
// Run: node bench/notifications.ts [usual | large]

const repetitions = 40
const size = process.argv[2] === 'large' ? 'large' : 'usual'

say(`${machineText(await describeMachine())}, an organization of ${size} size`)
const postgres = await startScratchPostgres()
const database = await postgres.createDatabase('notifications')
const noema = await startNoema(database, undefined, {
  NOEMA_EMBEDDINGS: 'off',
  NOEMA_ROLES: 'http',
  NOEMA_TRUSTED_ORIGINS: benchOrigin,
})
try {
  const { organizationId, headers } = await signUpAt(noema)
  await database.pool.query(`update organization set tier = 'staff' where id = $1`, [organizationId])
  await fillNotifications(database, organizationId, sizes[size])
  const read = async (below: string): Promise<number> => {
    const begun = performance.now()
    const response = await fetch(`http://127.0.0.1:${noema.port}/v1/notifications${below}`, { headers })
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    return performance.now() - begun
  }
  const { rows } = await database.pool.query<{ pid: number }>('select pg_backend_pid() as pid')
  const watched = {
    ...{ node: noema.pid, postgres: readParent(rows[0]?.pid ?? 0) ?? 0 },
    ...{ victim: process.pid, attacker: process.pid },
  }
  /** Milliseconds of processor time of PostgreSQL and of the service's main thread until now. */
  const readTime = () => {
    const reading = readProcessorTime(watched)
    return ['postgres', 'main'].map((name) => (reading.get(name)?.ran ?? 0) / 1e6)
  }
  say(`the first look, which writes what began: ${(await read('/waiting')).toFixed(1)} ms`)
  for (const below of notificationReads) {
    const times: number[] = []
    const before = readTime()
    for (let count = 0; count < repetitions; count++) times.push(await read(below))
    const used = readTime().map((time, index) => ((time - (before[index] ?? 0)) / repetitions).toFixed(1))
    times.sort((one, other) => one - other)
    const slow = times[Math.floor(repetitions * 0.95)] ?? 0
    say(
      `${below}: p50 ${median(times).toFixed(1)} ms, p95 ${slow.toFixed(1)} ms (goal 20); processor time of PostgreSQL and of the service ${used.join(' and ')} ms`,
    )
  }
} finally {
  await noema.stop()
  await postgres.stop()
}
