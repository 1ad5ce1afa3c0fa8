import { listRunShares, revokeRunShare, shareRun } from '@noema/contracts/shared-runs.ts'
import { listSharePage, revokeShare, shareRun as share } from '../../features/agents/run-shares/run-shares.ts'
import { defineBinding } from '../binding.ts'
import { listAnswer } from '../list-answer.ts'
import { checkId } from '../path-arguments.ts'

/** The path below which the pages of links are. */
export const sharedPath = '/shared'

export const sharedRunBindings = [
  defineBinding(shareRun, async (deps, { principal, params, body }) => {
    const target = { organizationId: principal.organization.id, id: checkId(params.id), by: principal.actor }
    const { share: made, token } = await share(deps, target, body)
    return { data: { share: made, url: `${deps.publicUrl}${sharedPath}/${token}` } }
  }),
  defineBinding(listRunShares, (deps, { principal, query: { runId, ...query } }) => {
    const { id: organizationId } = principal.organization
    const list = {
      scope: deps.listScope(organizationId),
      list: `run shares ${JSON.stringify(runId ?? null)}`,
      start: '',
    }
    const filter = { organizationId, runId, viewer: principal.viewer }
    return listAnswer(
      'shares',
      list,
      query,
      (page) => listSharePage(deps, filter, page),
      ({ id }) => id,
    )
  }),
  defineBinding(revokeRunShare, async (deps, { principal, params }) => {
    const target = { organizationId: principal.organization.id, id: checkId(params.id), by: principal.actor }
    await revokeShare(deps, target)
    return { data: { deleted: true } }
  }),
]
