import type { Clock } from '../../../shared/clock.ts'
import type { Db } from '../../../storage/database.ts'
import type { Submitter } from '../../writing/commit/apply-or-stage.ts'
import type { Commits } from '../../writing/commit/commit-engine.ts'
import { type SourceUpdate, type UpdatedItem, updateSubmission } from '../../writing/snapshots/update-source.ts'
import {
  type AppliedPage,
  type ChangedPage,
  type DueSource,
  dropPages,
  lockSource,
  markApplied,
  markChanged,
  selectChangedPages,
} from './refresh-queries.ts'

// Makes what was fetched of a source one change. The pages are marked as written in its transaction.

type Deps = { db: Db; clock: Clock; commitEngine: Pick<Commits, 'submit'> }

const maxOrigin = 500

const toItem = (source: string, { documentId: id, url, pending, text }: ChangedPage): UpdatedItem[] => {
  if (!pending || text === null) return []
  const { hash, title, contentType, fetchedAt, finalUrl, artifact } = pending
  const details = {
    ...(title === null ? {} : { title }),
    ...{ contentType, source: { name: source, uri: url } },
    metadata: { url, fetchedAt, ...(finalUrl === undefined ? {} : { finalUrl }) },
    ...(artifact ? { artifact } : {}),
  }
  return [{ id, text, hash, details, origin: url.slice(0, maxOrigin) }]
}

const belongsElsewhere = (id: string) =>
  `The document ${JSON.stringify(id)} exists already and is of another source. Retire it, or remove this page.`

/** The state of a page after the change. A document that is of another source is tried again at the next refresh. */
const toApplied = ({ documentId, pending, isGone }: ChangedPage, op: string | undefined): AppliedPage => {
  if (op === 'conflict') return { documentId, hash: null, isRetired: false, error: belongsElsewhere(documentId) }
  return { documentId, hash: pending?.hash ?? null, isRetired: isGone && !pending, error: null }
}

const nothing: SourceUpdate = { items: [], retired: [], settle: () => [] }

const toUpdate = (source: DueSource, pages: readonly ChangedPage[]): SourceUpdate => {
  const remaining = pages.filter(({ isRemoved }) => !isRemoved)
  const removed = pages.filter(({ isRemoved }) => isRemoved).map(({ documentId }) => documentId)
  const gone = remaining.filter(({ isGone, pending }) => isGone && !pending).map(({ documentId }) => documentId)
  return {
    items: remaining.flatMap((page) => toItem(source.name, page)),
    retired: [...removed, ...gone],
    settle: ({ change, ops }) => [
      markApplied(
        source,
        remaining.map((page) => toApplied(page, ops.get(page.documentId))),
      ),
      ...(removed.length > 0 ? [dropPages(source, removed)] : []),
      ...(change === null ? [] : [markChanged(source, change)]),
    ],
  }
}

/** Writes some of what was fetched of a source as one change. False if there was nothing to write. Throws the refusal of the change. */
export const applyPages = async (
  { db, clock, commitEngine }: Deps,
  submitter: Submitter,
  source: DueSource,
): Promise<boolean> => {
  if ((await selectChangedPages(db, source, clock.now())).length === 0) return false
  const submission = updateSubmission(submitter, source.name, async (tx) => {
    if (!(await lockSource(tx, source))) return nothing
    return toUpdate(source, await selectChangedPages(tx, source, clock.now()))
  })
  await commitEngine.submit(source.brainId, submission)
  return true
}
