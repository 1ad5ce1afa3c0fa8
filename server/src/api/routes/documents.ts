import {
  getDocument,
  listDocuments,
  listDocumentVersions,
  putDocument,
  retireDocument,
} from '@noema/contracts/documents.ts'
import { hasArtifact } from '../../features/files/extraction/extraction.ts'
import type { BrainRow } from '../../features/kernel/brains/brain-queries.ts'
import {
  type HasArtifact,
  listDocumentPage,
  listDocumentVersionPage,
  readDocument,
} from '../../features/knowledge/documents/documents.ts'
import { defineBinding } from '../binding.ts'
import { checkId } from '../path-arguments.ts'
import { type Rows, readAtChange, readCurrent } from '../previewing.ts'
import { readText } from '../texts-of-files.ts'
import { answerOperation } from '../write-answer.ts'

export const documentBindings = [
  defineBinding(putDocument, async (deps, call) => {
    const { corrects, artifact, artifactVersion, text = '', ...content } = call.body
    const { ifMatch } = call
    if (artifact === undefined) {
      const operation = { op: 'document.put', ifMatch, text, ...content } as const
      return answerOperation(deps, call, 'document', { operation, corrects })
    }
    const extracted = await readText(deps, call, { artifact, artifactVersion, at: ['artifact'] })
    const operation = { op: 'document.put', ifMatch, ...extracted, ...content } as const
    // A repeat is recognized by what was asked: the current version may be another one by then.
    const asked = call.asked ?? ['document.put', call.body, ifMatch ?? null]
    return answerOperation(deps, { ...call, asked }, 'document', { operation, corrects })
  }),
  defineBinding(retireDocument, (deps, call) => {
    const operation = { op: 'document.retire', id: checkId(call.params.id), ifMatch: call.ifMatch } as const
    return answerOperation(deps, call, 'document', { operation })
  }),
  defineBinding(getDocument, async (deps, call) => {
    const { principal, params, query } = call
    const has: HasArtifact = (artifact) => hasArtifact(deps.db, principal.organization.id, artifact)
    const read = ({ db, prepared }: Rows, brain: BrainRow) =>
      readDocument({ db, prepared, hasArtifact: has }, brain, checkId(params.id), query)
    if (query.change !== undefined) return readAtChange(deps, call, read)
    return { json: await readCurrent(deps, principal.brain, read) }
  }),
  defineBinding(listDocuments, async (deps, call) => {
    const read = (rows: Rows, brain: BrainRow) => listDocumentPage(rows, brain, call.query)
    if (call.query.change !== undefined) return readAtChange(deps, call, read)
    return { json: await readCurrent(deps, call.principal.brain, read) }
  }),
  defineBinding(listDocumentVersions, async (deps, { principal, params, query }) => ({
    json: await listDocumentVersionPage(deps, principal.brain, checkId(params.id), query),
  })),
]
