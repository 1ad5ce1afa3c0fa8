import type { WebPage, WebSource } from '@noema/contracts/web-sources.ts'
import { summarizeActor } from '../../../shared/actor.ts'
import type { PageRow, SourceRow } from './queries.ts'

/** A web source as answers show it. */
export const toSourceView = ({ total, waiting, failing, missing, ...row }: SourceRow): WebSource => ({
  source: row.name,
  refreshHours: row.refreshHours,
  pages: { total, waiting, failing, missing },
  nextRefreshAt: row.nextAt?.toISOString() ?? null,
  refreshedAt: row.refreshedAt?.toISOString() ?? null,
  lastChange: row.lastChange,
  problem: row.problem,
  paused: row.pausedReason === null ? null : { reason: row.pausedReason },
  author: summarizeActor(row.author),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

const toStatus = ({ isRetired, missing, error, checkedAt }: PageRow): WebPage['status'] => {
  if (isRetired) return 'retired'
  if (missing > 0) return 'missing'
  if (error !== null) return 'failing'
  return checkedAt === null ? 'waiting' : 'current'
}

/** A web page as answers show it. */
export const toPageView = (row: PageRow): WebPage => ({
  ...{ url: row.url, documentId: row.documentId, status: toStatus(row), title: row.title },
  ...{ httpStatus: row.status, error: row.error },
  checkedAt: row.checkedAt?.toISOString() ?? null,
  fetchedAt: row.fetchedAt?.toISOString() ?? null,
  nextAt: row.nextAt?.toISOString() ?? null,
})
