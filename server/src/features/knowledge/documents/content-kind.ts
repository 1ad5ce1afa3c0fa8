import { isDeepStrictEqual } from 'node:util'
import type { Operation } from '@noema/contracts/batch.ts'
import type { Queryable } from '../../../storage/database.ts'
import type { ToId } from '../../kernel/content-parts/content-parts.ts'
import type { LoadBudget } from '../../kernel/versioning/load-budget.ts'
import type { Inverse, Need, Needs, OperationEffect, OperationOf, Reverted } from '../../kernel/versioning/types.ts'
import { applyDocumentOperation, type DocumentWrites } from './apply.ts'
import { documentContentKeys, sendDocument } from './content.ts'
import { type DocumentVersion, documentTable, type NewDocumentVersion } from './document-queries.ts'
import { documentCodec } from './export-codec.ts'
import { contentAddress } from './hash.ts'

type DocumentOperation = OperationOf<'document'>

const resolveDocument = (operation: Extract<Operation, { op: `document.${string}` }>, toId: ToId): DocumentOperation =>
  operation.op === 'document.put'
    ? { ...operation, id: operation.id ?? contentAddress(operation) }
    : { ...operation, id: toId(operation.id) }

const needDocument = ({ id }: DocumentOperation, needs: Needs): void => void needs.document.ids.add(id)

const loadDocuments = async (
  db: Queryable,
  brainId: number,
  { document }: DocumentWrites,
  { ids, budget }: Need & { budget: LoadBudget },
): Promise<void> => {
  for (const version of await documentTable.selectNewest(db, brainId, [...ids], budget)) document.add(version, null)
}

type RevertedDocument = Reverted<DocumentVersion, NewDocumentVersion>

/** True if a document is as a change left it, also if others wrote to it since and were reverted. */
const isAsLeft = (now: DocumentVersion | undefined, { made, left }: RevertedDocument): boolean => {
  if (!now || !left) return !now && made === null
  return (
    now.content.hash === left.content.hash && isDeepStrictEqual(sendDocument(now.content), sendDocument(left.content))
  )
}

/** Restores a document completely, if no one else wrote to it since. */
const invertDocument = (reverted: RevertedDocument): Inverse => {
  const { id, base, newest, refuse } = reverted
  const now = newest?.toState === null ? newest : undefined
  if (!isAsLeft(now, reverted)) return refuse()
  const ifMatch = now ? { ifMatch: now.version } : {}
  if (!base) return now ? { writes: [{ op: 'document.retire', id, ...ifMatch }] } : {}
  return { writes: [{ op: 'document.put', id, text: base.text, ...sendDocument(base.content), ...ifMatch }] }
}

/** Documents as a kind of content. */
export const documents = {
  type: 'document',
  table: documentTable,
  contentKeys: documentContentKeys,
  operations: { 'document.put': 'adds', 'document.retire': 'ends' } as const satisfies Record<
    DocumentOperation['op'],
    OperationEffect
  >,
  exportCodec: documentCodec,
  liveKey: () => null,
  resolve: resolveDocument,
  need: needDocument,
  load: loadDocuments,
  apply: applyDocumentOperation,
  references: () => [],
  detail: ({ content, text }: NewDocumentVersion) => ({ ...content, text }),
  stillFits: () => false,
  invert: invertDocument,
} as const
