import type { Result } from '@noema/contracts/endpoint.ts'
import type { listRecordHistory } from '@noema/contracts/records.ts'

/** A version of a record, and the reason why it ended. */
export type VersionEntry = Result<typeof listRecordHistory>['versions'][number]
