import type { ChangeSchemaItem } from '@noema/contracts/changes.ts'
import { evolveSchema, getSchema, getSchemaLineage, listEmerged, promoteEmerged } from '@noema/contracts/schema.ts'
import { getOrganizationSchema, listOrganizationSchemas, putOrganizationSchema } from '@noema/contracts/schemas.ts'
import { mayRead } from '../../access/authorize.ts'
import type { Principal } from '../../access/principal.ts'
import { brainList, noSuchBrain } from '../../features/kernel/brains/brains.ts'
import {
  listOrganizationSchemaPage,
  readLineage,
  readOrganizationSchema,
  storeOrganizationSchema,
} from '../../features/knowledge/organization-schemas/organization-schemas.ts'
import { emergedAfter, readSchema } from '../../features/knowledge/schema/schema.ts'
import { proposeEvolution, proposePromotion } from '../../features/writing/schema-changes/schema-changes.ts'
import { type Answer, defineBinding } from '../binding.ts'
import { listAnswer } from '../list-answer.ts'
import { checkSchemaName } from '../path-arguments.ts'
import { settledAnswer, toSubmitter } from '../write-answer.ts'

const organizationBindings = [
  defineBinding(putOrganizationSchema, async (deps, { principal, params, body }) => {
    const target = {
      organizationId: principal.organization.id,
      name: checkSchemaName(params.name),
      createdBy: principal.actor,
    }
    const { schema, created } = await storeOrganizationSchema(deps, target, body.kinds)
    return { outcome: created ? 'created' : 'done', data: { schema } }
  }),
  defineBinding(getOrganizationSchema, async (deps, { principal, params, query }) => ({
    data: {
      schema: await readOrganizationSchema(
        deps,
        principal.organization.id,
        checkSchemaName(params.name),
        query.version,
      ),
    },
  })),
  defineBinding(listOrganizationSchemas, async (deps, { principal, query }) => {
    const { id } = principal.organization
    const list = { scope: deps.listScope(id), list: 'schemas', start: '' }
    return listAnswer(
      'schemas',
      list,
      query,
      (page) => listOrganizationSchemaPage(deps, id, page),
      ({ name }) => name,
    )
  }),
]

/**
 * Hides from callers who may not read how many records a proposal would not suit: that number reveals their values, one by one.
 */
const proposalAnswer = (principal: Principal, answer: Answer): Answer => {
  if (mayRead(principal)) return answer
  const { items, ...data } = 'json' in answer ? JSON.parse(answer.json) : answer.data
  const uncounted = items.map(({ violations, violationsAtLeast, ...item }: ChangeSchemaItem) => item)
  const { outcome, replayed = false } = answer
  return { ...(outcome ? { outcome } : {}), replayed, data: { ...data, items: uncounted } }
}

export const schemaBindings = [
  ...organizationBindings,
  defineBinding(getSchema, async (deps, { principal, query }) => ({
    data: { schema: await readSchema(deps, principal.brain, query.version) },
  })),
  defineBinding(evolveSchema, async (deps, { principal, ...call }) => {
    const settled = await proposeEvolution(deps, toSubmitter(deps, principal), principal.brain, call)
    return proposalAnswer(principal, settledAnswer(settled))
  }),
  defineBinding(promoteEmerged, async (deps, { principal, ...call }) => {
    const settled = await proposePromotion(deps, toSubmitter(deps, principal), principal.brain, call)
    return proposalAnswer(principal, settledAnswer(settled))
  }),
  defineBinding(listEmerged, async (deps, { principal, query }) => {
    const { brain } = principal
    const list = brainList(deps.db, brain, { list: 'emerged', start: '' })
    return listAnswer(
      'emerged',
      list,
      query,
      (page) => emergedAfter(deps, brain, page),
      ({ id }) => id,
    )
  }),
  defineBinding(getSchemaLineage, async (deps, { principal, params }) => {
    if (!principal.brain) throw noSuchBrain(params.handle)
    return { data: { lineage: await readLineage(deps, principal.brain) } }
  }),
]
