import {
  createConnector,
  deleteConnector,
  getConnector,
  listConnectors,
  patchConnector,
  testConnector,
} from '@noema/contracts/connectors.ts'
import * as connectors from '../../features/agents/connectors/connectors.ts'
import { defineBinding } from '../binding.ts'
import { listAnswer } from '../list-answer.ts'

export const connectorBindings = [
  defineBinding(createConnector, async (deps, { principal, body }) => {
    const owner = { organizationId: principal.organization.id, createdBy: principal.actor }
    return { outcome: 'created', data: { connector: await connectors.storeConnector(deps, owner, body) } }
  }),
  defineBinding(listConnectors, (deps, { principal, query }) => {
    const { id } = principal.organization
    const list = { scope: deps.listScope(id), list: 'connectors', start: '' }
    return listAnswer(
      'connectors',
      list,
      query,
      (page) => connectors.listConnectorPage(deps, id, page),
      (connector) => connector.id,
    )
  }),
  defineBinding(getConnector, async (deps, { principal, params }) => {
    const target = { organizationId: principal.organization.id, id: params.id }
    return { data: { connector: await connectors.readConnector(deps, target) } }
  }),
  defineBinding(patchConnector, async (deps, { principal, params, body }) => {
    const target = { organizationId: principal.organization.id, id: params.id, createdBy: principal.actor }
    return { data: { connector: await connectors.changeConnector(deps, target, body) } }
  }),
  defineBinding(deleteConnector, async (deps, { principal, params }) => {
    const { organization, actor: createdBy } = principal
    await connectors.deleteConnector(deps, { organizationId: organization.id, id: params.id, createdBy })
    return { data: { deleted: true } }
  }),
  defineBinding(testConnector, async (deps, { principal, params }) => {
    const target = { organizationId: principal.organization.id, id: params.id }
    return { data: await connectors.testConnector(deps, target) }
  }),
]
