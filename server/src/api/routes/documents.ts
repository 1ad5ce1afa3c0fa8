import {
  getDocument,
  listDocuments,
  listDocumentVersions,
  putDocument,
  retireDocument,
} from '@noema/contracts/documents.ts'
import {
  listDocumentPage,
  listDocumentVersionPage,
  readDocument,
} from '../../features/knowledge/documents/documents.ts'
import { defineBinding } from '../binding.ts'
import { checkId } from '../path-arguments.ts'
import { answerOperation } from '../write-answer.ts'

export const documentBindings = [
  defineBinding(putDocument, (deps, call) => {
    const { corrects, ...content } = call.body
    const operation = { op: 'document.put', ifMatch: call.ifMatch, ...content } as const
    return answerOperation(deps, call, 'document', { operation, corrects })
  }),
  defineBinding(retireDocument, (deps, call) => {
    const operation = { op: 'document.retire', id: checkId(call.params.id), ifMatch: call.ifMatch } as const
    return answerOperation(deps, call, 'document', { operation })
  }),
  defineBinding(getDocument, async (deps, { principal, params, query }) => ({
    json: await readDocument(deps, principal.brain, checkId(params.id), query),
  })),
  defineBinding(listDocuments, async (deps, { principal, query }) => ({
    json: await listDocumentPage(deps, principal.brain, query),
  })),
  defineBinding(listDocumentVersions, async (deps, { principal, params, query }) => ({
    json: await listDocumentVersionPage(deps, principal.brain, checkId(params.id), query),
  })),
]
