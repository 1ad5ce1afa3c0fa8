import type pg from 'pg'

// Files whose bytes are objects in the operator's store are in a backup with everything but their bytes.

export type StoredFiles = { files: number; bytes: number }

/** The versions of files whose bytes are in the store; none where the database is older than the table. */
export const countStoredFiles = async (client: pg.Client): Promise<StoredFiles> => {
  const { rows: tables } = await client.query<{ isThere: boolean }>(
    `select to_regclass('artifact_objects') is not null as "isThere"`,
  )
  if (!tables[0]?.isThere) return { files: 0, bytes: 0 }
  const { rows } = await client.query<{ files: string; bytes: string }>(
    `select count(*) as files, coalesce(sum(version.bytes), 0) as bytes
     from artifact_objects as objects join artifact_versions as version
       on version.organization_id = objects.organization_id and version.body_id = objects.body_id
     where not objects.is_copy`,
  )
  return { files: Number(rows[0]?.files ?? 0), bytes: Number(rows[0]?.bytes ?? 0) }
}
