import {
  cancelDistillation,
  getDistillation,
  listDistillations,
  startDistillation,
} from '@noema/contracts/distillations.ts'
import type { ManagerPrincipal } from '../../access/principal.ts'
import * as distillations from '../../features/learning/distillations/distillations.ts'
import { defineBinding } from '../binding.ts'
import { type ListPage, listAnswer } from '../list-answer.ts'
import { checkId } from '../path-arguments.ts'

const toKey = ({ organization }: ManagerPrincipal, id: string) => ({
  ...{ organizationId: organization.id, id: checkId(id) },
})

export const distillationBindings = [
  defineBinding(startDistillation, async (deps, { principal, body }) => {
    const { organization, actor, viewer } = principal
    const acting = { organizationId: organization.id, by: actor, viewer }
    return { data: await distillations.beginDistillation(deps, acting, body) }
  }),
  defineBinding(listDistillations, async (deps, { principal, query }) => {
    const { id } = principal.organization
    const place = { organizationId: id, viewer: principal.viewer }
    const list = { scope: deps.listScope(id), list: 'distillations', start: '' }
    const read = (page: ListPage) => distillations.listDistillationPage(deps, place, page)
    return listAnswer('distillations', list, query, read, (one) => one.id)
  }),
  defineBinding(getDistillation, async (deps, { principal, params }) => ({
    data: await distillations.readDistillation(deps, toKey(principal, params.id), principal.viewer),
  })),
  defineBinding(cancelDistillation, async (deps, { principal, params }) => ({
    data: {
      distillation: await distillations.cancelDistillation(deps, toKey(principal, params.id), principal.viewer),
    },
  })),
]
