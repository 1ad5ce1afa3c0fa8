import { fillLists, listReads } from './admin-lists/lists.ts'
import { describeMachine } from './parts/machine.ts'
import { startNoema } from './parts/noema.ts'
import { machineText } from './parts/report.ts'
import { startScratchPostgres } from './parts/scratch-postgres.ts'
import { benchOrigin, signUpAt } from './parts/session.ts'
import { median } from './parts/statistics.ts'
import { say } from './webhooks/parts.ts'

// What the lists of operators and owners cost where a million rows stand behind each. See README.md.
// Run: node bench/admin-lists.ts

const repetitions = 40

say(machineText(await describeMachine()))
const postgres = await startScratchPostgres()
const database = await postgres.createDatabase('admin_lists')
const noema = await startNoema(database, undefined, {
  NOEMA_EMBEDDINGS: 'off',
  NOEMA_ROLES: 'http',
  NOEMA_TRUSTED_ORIGINS: benchOrigin,
})
try {
  const { organizationId, headers } = await signUpAt(noema)
  await fillLists(database, organizationId)
  // The first account administers the service.
  await database.pool.query(
    `update "user" set "createdAt" = now() - interval '1 year' where id = (
    select "userId" from member where "organizationId" = $1)`,
    [organizationId],
  )
  const read = async (path: string): Promise<number> => {
    const begun = performance.now()
    const response = await fetch(`http://127.0.0.1:${noema.port}${path}`, { headers })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${text}`)
    return performance.now() - begun
  }
  for (const { path, goal } of listReads) {
    const first = await read(path)
    const times: number[] = []
    for (let count = 0; count < repetitions; count++) times.push(await read(path))
    times.sort((one, other) => one - other)
    const slow = times[Math.floor(repetitions * 0.95)] ?? 0
    say(
      `${path}: first ${first.toFixed(1)} ms, p50 ${median(times).toFixed(1)} ms, p95 ${slow.toFixed(1)} ms (goal ${goal})`,
    )
  }
} finally {
  await noema.stop()
  await postgres.stop()
}
