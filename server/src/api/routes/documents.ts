import {
  getDocument,
  listDocuments,
  listDocumentVersions,
  putDocument,
  retireDocument,
} from '@noema/contracts/documents.ts'
import { pageOfDocuments, pageOfDocumentVersions, readDocument } from '../../features/brain/documents/documents.ts'
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
  defineBinding(getDocument, async (deps, { caller, params, query }) => ({
    json: await readDocument(deps, caller.brain, checkId(params.id), query),
  })),
  defineBinding(listDocuments, async (deps, { caller, query }) => ({
    json: await pageOfDocuments(deps, caller.brain, query),
  })),
  defineBinding(listDocumentVersions, async (deps, { caller, params, query }) => ({
    json: await pageOfDocumentVersions(deps, caller.brain, checkId(params.id), query),
  })),
]
