import { deleteDerivedPage, getDerivedPage, listDerivedPages, putDerivedPage } from '@noema/contracts/derived-pages.ts'
import type { ManagerPrincipal } from '../../access/principal.ts'
import type { BrainRow } from '../../features/kernel/brains/brain-queries.ts'
import { noSuchBrain } from '../../features/kernel/brains/brains.ts'
import * as derivedPages from '../../features/learning/derived-pages/derived-pages.ts'
import { defineBinding } from '../binding.ts'
import { type ListPage, listAnswer } from '../list-answer.ts'
import { checkNewId } from '../path-arguments.ts'

const toBrain = ({ brain }: ManagerPrincipal, handle: string): BrainRow => {
  if (!brain) throw noSuchBrain(handle)
  return brain
}

export const derivedPageBindings = [
  defineBinding(putDerivedPage, async (deps, { principal, params, body }) => {
    const { actor: by, viewer } = principal
    const setting = { brain: toBrain(principal, params.handle), documentId: checkNewId(params.id), by, viewer }
    return { data: { derivedPage: await derivedPages.setDerivedPage(deps, setting, body) } }
  }),
  defineBinding(getDerivedPage, async (deps, { principal, params }) => {
    const brain = toBrain(principal, params.handle)
    return { data: { derivedPage: await derivedPages.readDerivedPage(deps.db, brain, params.id) } }
  }),
  defineBinding(listDerivedPages, async (deps, { principal, params, query }) => {
    const brain = toBrain(principal, params.handle)
    const list = { scope: deps.listScope(principal.organization.id), list: `derived-pages:${brain.id}`, start: '' }
    const read = (page: ListPage) => derivedPages.listDerivedPagePage(deps, brain, page)
    return listAnswer('derivedPages', list, query, read, ({ documentId }) => documentId)
  }),
  defineBinding(deleteDerivedPage, async (deps, { principal, params }) => {
    const brain = toBrain(principal, params.handle)
    await derivedPages.deleteDerivedPage(deps, { brain, documentId: params.id, by: principal.actor })
    return { data: { deleted: true } }
  }),
]
