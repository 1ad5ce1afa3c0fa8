import { type RawBuilder, sql } from 'kysely'

// States of an organization that go on and that people are told of. Each feature selects its own, in the same columns, so that
// one statement reads all of them.

/** Of whose states, and at which time. */
export type StateScope = { organizationId: string; now: Date }

/** What a state is told as; every value is an expression of SQL. What is left out is null. */
type StateColumns = {
  kind: string
  targetType: string
  targetId: RawBuilder<unknown>
  name?: RawBuilder<unknown>
  /** The handle of its Brain. */
  brain?: RawBuilder<unknown>
  /** The users whom it is for, as an array; null is for all members. */
  people?: RawBuilder<unknown>
  /** How much it comes to. */
  count?: RawBuilder<unknown>
  since?: RawBuilder<unknown>
}

/** More states of one kind in one organization are not told of. */
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

/** The host of an address: what stands behind it may be a secret. */
export const toHost = (url: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`substring(${url} from '^[^:]+://(?:[^/?#@]*@)?([^/?#]+)')`
