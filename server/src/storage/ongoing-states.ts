import { type RawBuilder, sql } from 'kysely'

// Current states of an organization that people are notified of. Each feature selects its own, in the same columns, so that
// one statement reads all of them.

/** Of whose states, and at which time. */
export type StateScope = { organizationId: string; now: Date }

/** The columns of a state; every value is an expression of SQL. Missing ones are null. */
type StateColumns = {
  kind: string
  targetType: string
  targetId: RawBuilder<unknown>
  name?: RawBuilder<unknown>
  /** The handle of its Brain. */
  brain?: RawBuilder<unknown>
  /** The users whom it is for, as an array; null is for all members. */
  people?: RawBuilder<unknown>
  /** The number of its items. */
  count?: RawBuilder<unknown>
  since?: RawBuilder<unknown>
}

/** The maximum number of reported states of one kind in one organization. */
export const maxStates = 1_000

const none = sql`null`

/** The columns of a select of states. */
export const stateColumns = ({
  kind,
  targetType,
  targetId,
  name = none,
  brain = none,
  people = none,
  count = none,
  since = none,
}: StateColumns): RawBuilder<unknown> =>
  sql`${sql.lit(kind)}::text as kind, ${sql.lit(targetType)}::text as target_type, ${targetId}::text as target_id,
    ${name}::text as name, ${brain}::text as brain, ${people}::text[] as people, ${count}::bigint as count,
    ${since}::timestamptz as since`

/** The host of an address: the rest may be a secret. */
export const toHost = (url: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`substring(${url} from '^[^:]+://(?:[^/?#@]*@)?([^/?#]+)')`
