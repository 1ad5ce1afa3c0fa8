import { batch } from '@noema/contracts/batch.ts'
import {
  getDocument,
  listDocuments,
  listDocumentVersions,
  putDocument,
  retireDocument,
} from '@noema/contracts/documents.ts'
import {
  createRecord,
  deleteRecord,
  getRecord,
  listRecordHistory,
  listRecords,
  patchRecord,
  putRecord,
} from '@noema/contracts/records.ts'
import { assertStatement, getStatement, listStatements, retractStatement } from '@noema/contracts/statements.ts'
import type { AppDeps } from '../../app-deps.ts'
import { pageOfDocuments, pageOfDocumentVersions, readDocument } from '../../features/brain/documents/documents.ts'
import { pageOfRecordHistory, pageOfRecords, readRecord } from '../../features/brain/records/records.ts'
import { pageOfStatements, readStatement } from '../../features/brain/statements/statements.ts'
import { route } from '../endpoint.ts'
import { checkId } from '../path-ids.ts'
import { answerOperation, answerWrite } from './writing.ts'

const recordRoutes = [
  route(createRecord, (deps: AppDeps, call) => {
    const { corrects, ...content } = call.body
    return answerOperation(deps, call, 'record', { operation: { op: 'record.create', ...content }, corrects })
  }),
  route(putRecord, (deps: AppDeps, call) => {
    const { corrects, ...content } = call.body
    const operation = { op: 'record.put', id: checkId(call.params.id), ifMatch: call.ifMatch, ...content } as const
    return answerOperation(deps, call, 'record', { operation, corrects })
  }),
  route(patchRecord, (deps: AppDeps, call) => {
    const { corrects, ...content } = call.body
    const operation = { op: 'record.patch', id: checkId(call.params.id), ifMatch: call.ifMatch, ...content } as const
    return answerOperation(deps, call, 'record', { operation, corrects })
  }),
  route(deleteRecord, (deps: AppDeps, call) => {
    const operation = { op: 'record.delete', id: checkId(call.params.id), ifMatch: call.ifMatch } as const
    return answerOperation(deps, call, 'record', { operation })
  }),
  route(getRecord, async (deps: AppDeps, { caller, params, query }) => ({
    json: await readRecord(deps, caller.brain, checkId(params.id), query),
  })),
  route(listRecords, async (deps: AppDeps, { caller, query }) => ({
    json: await pageOfRecords(deps, caller.brain, query),
  })),
  route(listRecordHistory, async (deps: AppDeps, { caller, params, query }) => ({
    json: await pageOfRecordHistory(deps, caller.brain, checkId(params.id), query),
  })),
]

const statementRoutes = [
  route(assertStatement, (deps: AppDeps, call) => {
    const { corrects, ...content } = call.body
    return answerOperation(deps, call, 'statement', { operation: { op: 'statement.assert', ...content }, corrects })
  }),
  route(retractStatement, (deps: AppDeps, call) => {
    const { corrects, reason } = call.body
    const operation = { op: 'statement.retract', id: checkId(call.params.id), reason } as const
    return answerOperation(deps, call, 'statement', { operation, corrects })
  }),
  route(getStatement, async (deps: AppDeps, { caller, params, query }) => ({
    json: await readStatement(deps, caller.brain, checkId(params.id), query),
  })),
  route(listStatements, async (deps: AppDeps, { caller, query }) => ({
    json: await pageOfStatements(deps, caller.brain, query),
  })),
]

const documentRoutes = [
  route(putDocument, (deps: AppDeps, call) => {
    const { corrects, ...content } = call.body
    const operation = { op: 'document.put', ifMatch: call.ifMatch, ...content } as const
    return answerOperation(deps, call, 'document', { operation, corrects })
  }),
  route(retireDocument, (deps: AppDeps, call) => {
    const operation = { op: 'document.retire', id: checkId(call.params.id), ifMatch: call.ifMatch } as const
    return answerOperation(deps, call, 'document', { operation })
  }),
  route(getDocument, async (deps: AppDeps, { caller, params, query }) => ({
    json: await readDocument(deps, caller.brain, checkId(params.id), query),
  })),
  route(listDocuments, async (deps: AppDeps, { caller, query }) => ({
    json: await pageOfDocuments(deps, caller.brain, query),
  })),
  route(listDocumentVersions, async (deps: AppDeps, { caller, params, query }) => ({
    json: await pageOfDocumentVersions(deps, caller.brain, checkId(params.id), query),
  })),
]

export const knowledgeRoutes = [
  ...recordRoutes,
  ...statementRoutes,
  ...documentRoutes,
  route(batch, (deps: AppDeps, call) => {
    const { operations, corrects } = call.body
    return answerWrite(deps, call, { operations, corrects, isBatch: true }, ({ outcome, applied }) => ({
      status: outcome === 'staged' ? 202 : 200,
      data: { results: applied.map(({ result }) => result) },
    }))
  }),
]
