import { readContext } from '@noema/contracts/context.ts'
import { readNames } from '@noema/contracts/names.ts'
import { listNeighbours } from '@noema/contracts/neighbours.ts'
import { queryRecords } from '@noema/contracts/query.ts'
import { getReceipt, listReceipts } from '@noema/contracts/receipts.ts'
import { searchBrain } from '@noema/contracts/search.ts'
import { nameItems } from '../../features/knowledge/names/names.ts'
import { runContext } from '../../features/retrieval/context/context.ts'
import { readNeighbours } from '../../features/retrieval/neighbours/neighbours.ts'
import { readWithChange, searchWithChange } from '../../features/retrieval/previews/read-preview.ts'
import { runQuery } from '../../features/retrieval/query/query.ts'
import { listReceiptPage, readReceipt } from '../../features/retrieval/receipts/receipts.ts'
import { runSearch } from '../../features/retrieval/search/search.ts'
import { defineBinding } from '../binding.ts'
import { checkId } from '../path-arguments.ts'
import { atChange, type ChangeTarget } from '../previewing.ts'

export const retrievalBindings = [
  defineBinding(searchBrain, async (deps, { principal, query }) => {
    const ask = (target: ChangeTarget) =>
      searchWithChange(deps, { ...target, isByMeaning: query.mode !== 'lexical' }, ({ brain, base, preview }) =>
        runSearch({ ...deps, source: base, preview }, brain, query),
      )
    if (query.change !== undefined) return { data: await atChange(deps, principal, query, ask) }
    return {
      data: await deps.brainReads.run({ read: 'search', brain: principal.brain }, (source) =>
        runSearch({ ...deps, source }, principal.brain, query),
      ),
    }
  }),
  defineBinding(readContext, async (deps, { principal, body }) => {
    const ask = (target: ChangeTarget) =>
      searchWithChange(deps, { ...target, isByMeaning: true }, ({ brain, base, preview }) =>
        runContext({ ...deps, source: base, preview }, brain, body),
      )
    if (body.change !== undefined) return { data: await atChange(deps, principal, body, ask) }
    return {
      data: await deps.brainReads.run({ read: 'context', brain: principal.brain }, (source) =>
        runContext({ ...deps, source }, principal.brain, body),
      ),
    }
  }),
  defineBinding(queryRecords, async (deps, { principal, body }) => {
    const ask = (target: ChangeTarget) =>
      readWithChange(deps, target, ({ brain, source: { db }, preview }) =>
        runQuery({ ...deps, db, preview }, brain, body),
      )
    if (body.change !== undefined) return { data: await atChange(deps, principal, body, ask) }
    return {
      data: await deps.brainReads.run({ read: 'query', brain: principal.brain }, ({ db }) =>
        runQuery({ ...deps, db }, principal.brain, body),
      ),
    }
  }),
  defineBinding(listNeighbours, async (deps, { principal, params, query }) => ({
    data: await readNeighbours(deps, principal.brain, checkId(params.id), query),
  })),
  defineBinding(readNames, async (deps, { principal, body }) => ({
    data: await nameItems(deps, principal.brain, body),
  })),
  defineBinding(getReceipt, async (deps, { principal, params }) => ({
    data: await readReceipt(deps, principal.brain, params.id),
  })),
  defineBinding(listReceipts, async (deps, { principal, query }) => ({
    data: await listReceiptPage(deps, principal.brain, query),
  })),
]
