import { type RawBuilder, sql } from 'kysely'

// A webhook belongs to its creator, to the last who set its address, and to the last who saw its secret: each of them decides
// where its events go, or can sign for it. Both sorts of webhooks have the same columns.

/** True for a webhook that one of these created. */
export const isCreatedBy = (makers: readonly string[]): RawBuilder<unknown> =>
  sql`webhook.created_by = any(${[...makers]}::text[])`

/** True for a webhook whose address one of these set last, or whose secret one of them saw last. */
export const isHeldBy = (makers: readonly string[]): RawBuilder<unknown> =>
  sql`(coalesce(webhook.url_by, webhook.created_by) = any(${[...makers]}::text[])
    or coalesce(webhook.secret_by, webhook.created_by) = any(${[...makers]}::text[]))`
