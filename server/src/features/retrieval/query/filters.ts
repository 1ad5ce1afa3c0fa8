import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { queryRecords } from '@noema/contracts/query.ts'
import type { BrainRecord } from '@noema/contracts/records.ts'

// The filters of a query that no index answers: they are checked on the records of a page, of which it examines a limited number.

type Filters = Pick<BodyOutput<typeof queryRecords>, 'source' | 'since' | 'until'>

export const isFiltered = ({ source, since, until }: Filters): boolean =>
  source !== undefined || since !== undefined || until !== undefined

/** Checks whether a record passes the filters. Times are ISO 8601 in UTC with milliseconds, so their texts compare as they do. */
export const passesFilters = (
  { source, since, until }: Filters,
  { createdAt, provenance }: Pick<BrainRecord, 'createdAt' | 'provenance'>,
): boolean =>
  (source === undefined || provenance.source === source) &&
  (since === undefined || createdAt >= since) &&
  (until === undefined || createdAt < until)
