import { listApps, narrowAppGrant, revokeApp, revokeAppGrant } from '@noema/contracts/apps.ts'
import type { ManagerPrincipal } from '../../access/principal.ts'
import { listAppPage, narrowGrant, revokeAppById, revokeGrant } from '../../features/accounts/apps/apps.ts'
import { defineBinding } from '../binding.ts'
import { listAnswer } from '../list-answer.ts'
import { checkId } from '../path-arguments.ts'

const toCaller = ({ organization, actor, viewer }: ManagerPrincipal) => ({
  organizationId: organization.id,
  ...{ actor, viewer },
})

export const appBindings = [
  defineBinding(listApps, async (deps, { principal, query }) => {
    const { id } = principal.organization
    const list = { scope: deps.listScope(id), list: 'apps', start: '' }
    return listAnswer(
      'apps',
      list,
      query,
      (page) => listAppPage(deps, toCaller(principal), page),
      (app) => app.id,
    )
  }),
  defineBinding(revokeApp, async (deps, { principal, params }) => ({
    data: { app: await revokeAppById(deps, toCaller(principal), checkId(params.id)) },
  })),
  defineBinding(narrowAppGrant, async (deps, { principal, params, body }) => {
    const grant = { id: checkId(params.id), grantId: checkId(params.grantId, 'grantId') }
    return { data: { grant: await narrowGrant(deps, toCaller(principal), grant, body.capabilities) } }
  }),
  defineBinding(revokeAppGrant, async (deps, { principal, params }) => {
    const grantId = checkId(params.grantId, 'grantId')
    return { data: { grant: await revokeGrant(deps, toCaller(principal), checkId(params.id), grantId) } }
  }),
]
