import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import type { StoredComment } from '../commit/change-store.ts'

type Place = { brainId: number; id: string }

/** The comments on a change. */
export const selectComments = async (db: Queryable, { brainId, id }: Place): Promise<StoredComment[]> => {
  const { rows } = await sql<{ comments: StoredComment[] | null }>`select comments from changes
    where brain_id = ${brainId} and id = ${id}`.execute(db)
  return rows[0]?.comments ?? []
}

type Found = {
  /** The comments that the change had. */
  before: number
  /** The same comment of the same writer, if it was there. */
  equal: StoredComment | null
}

/** Adds a comment to a change that has fewer than a maximum, and not the same one yet; undefined if there is no such change. */
export const insertComment = async (
  db: Queryable,
  { brainId, id, max }: Place & { max: number },
  comment: StoredComment,
): Promise<Found | undefined> => {
  const { rows } = await sql<Found>`
    with live as materialized (
      select brain_id from brains where brain_id = ${brainId} and deleted_at is null for key share),
    found as materialized (
      select id, coalesce(json_array_length(comments), 0) as before, (select one from json_array_elements(comments) as one
        where one::jsonb @> ${JSON.stringify({ text: comment.text, by: comment.by })}::jsonb limit 1) as equal from changes
      where brain_id in (select brain_id from live) and brain_id = ${brainId} and id = ${id} for no key update),
    added as (
      update changes as change
      set comments = (coalesce(change.comments::jsonb, '[]'::jsonb) || jsonb_build_array(${JSON.stringify(comment)}::jsonb))::json
      from found where change.brain_id = ${brainId} and change.id = found.id and found.equal is null and found.before < ${max})
    select before, equal from found`.execute(db)
  return rows[0]
}
