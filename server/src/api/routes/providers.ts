import { deleteProvider, getProvider, listProviders, putProvider, testProvider } from '@noema/contracts/providers.ts'
import { listShared } from '../../features/agents/providers/access.ts'
import * as providerTest from '../../features/agents/providers/provider-test.ts'
import * as providers from '../../features/agents/providers/providers.ts'
import { defineBinding } from '../binding.ts'
import { listAnswer } from '../list-answer.ts'
import { checkProviderName } from '../path-arguments.ts'

export const providerBindings = [
  defineBinding(putProvider, async (deps, { principal, params, body }) => {
    const owner = {
      organizationId: principal.organization.id,
      name: checkProviderName(params.name),
      createdBy: principal.actor,
    }
    const { provider, created } = await providers.storeProvider(deps, owner, body)
    return { outcome: created ? 'created' : 'done', data: { provider } }
  }),
  defineBinding(listProviders, async (deps, { principal, query }) => {
    const { id } = principal.organization
    const list = { scope: deps.listScope(id), list: 'providers', start: '' }
    const { data } = await listAnswer(
      'providers',
      list,
      query,
      (page) => providers.listProviderPage(deps, id, page),
      ({ name }) => name,
    )
    return { data: { ...data, shared: listShared(deps.sharedKeys) } }
  }),
  defineBinding(getProvider, async (deps, { principal, params }) => {
    const target = { organizationId: principal.organization.id, name: checkProviderName(params.name) }
    return { data: { provider: await providers.readProvider(deps, target) } }
  }),
  defineBinding(deleteProvider, async (deps, { principal, params }) => {
    await providers.deleteProvider(deps, {
      organizationId: principal.organization.id,
      name: checkProviderName(params.name),
      createdBy: principal.actor,
    })
    return { data: { deleted: true } }
  }),
  defineBinding(testProvider, async (deps, { principal, params, body }) => {
    const target = { organizationId: principal.organization.id, name: checkProviderName(params.name) }
    return { data: await providerTest.testProvider(deps, target, body.model) }
  }),
]
