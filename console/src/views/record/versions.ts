import type { Result } from '@noema/contracts/endpoint.ts'
import type { listRecordHistory } from '@noema/contracts/records.ts'

/** A version of a record, and what ended it. */
export type VersionEntry = Result<typeof listRecordHistory>['versions'][number]
