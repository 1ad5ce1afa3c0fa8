import { Kysely, PostgresDialect } from 'kysely'
import { fillNotifications } from './admin-lists/notifications.ts'
import { startNoema } from './parts/noema.ts'
import { startScratchPostgres } from './parts/scratch-postgres.ts'
import { benchOrigin, signUpAt } from './parts/session.ts'
import { selectStates } from '../server/src/features/oversight/notifications/state-queries.ts'
import { readStates } from '../server/src/features/oversight/notifications/states.ts'
const postgres = await startScratchPostgres()
const database = await postgres.createDatabase('notifications')
const noema = await startNoema(database, undefined, { NOEMA_EMBEDDINGS: 'off', NOEMA_ROLES: 'http', NOEMA_TRUSTED_ORIGINS: benchOrigin })
const { organizationId } = await signUpAt(noema)
await noema.stop()
await fillNotifications(database, organizationId)
let captured: { sql: string; parameters: readonly unknown[] } | undefined
const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: database.pool }), log: (e) => { captured = { sql: e.query.sql, parameters: e.query.parameters } } })
const clock = { now: () => new Date() }
await readStates({ db, clock } as never, { organizationId, userId: 'x', role: 'owner' })
for (let i = 0; i < 3; i++) { const t = performance.now(); await selectStates(db, { organizationId, now: new Date() }, 'x'); console.log('statement', performance.now() - t) }
if (captured) {
  const { rows } = await database.pool.query(`explain (analyze, buffers) ${captured.sql}`, [...captured.parameters])
  console.log(rows.map((r: any) => r['QUERY PLAN']).join('\n'))
}
const t0 = performance.now(); for (let i = 0; i < 50; i++) await selectStates(db, { organizationId, now: new Date() }, "x"); console.log("mean", (performance.now() - t0) / 50); await postgres.stop()
