import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'

/** Revokes the links to runs whose contents are erased. */
export const revokeSharesOfRuns = (db: Queryable, runs: readonly { organizationId: string; id: string }[], now: Date) =>
  sql`
  update run_shares as shared set revoked_at = ${now}
  from unnest(${runs.map(({ organizationId }) => organizationId)}::text[], ${runs.map(({ id }) => id)}::text[])
    as run (organization_id, id)
  where shared.organization_id = run.organization_id and shared.run_id = run.id and shared.revoked_at is null`.execute(
    db,
  )
