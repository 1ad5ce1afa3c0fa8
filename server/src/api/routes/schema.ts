import { evolveSchema, getSchema, getSchemaLineage, listEmerged, promoteEmerged } from '@noema/contracts/schema.ts'
import { getOrganizationSchema, listOrganizationSchemas, putOrganizationSchema } from '@noema/contracts/schemas.ts'
import { brainList, noSuchBrain } from '../../features/brain/brains/brains.ts'
import {
  pageOfOrganizationSchemas,
  putSchemaOfOrganization,
  readLineage,
  readOrganizationSchema,
} from '../../features/brain/organization-schemas/organization-schemas.ts'
import { emergedAfter, readSchema } from '../../features/brain/schema/schema.ts'
import { proposeEvolution, proposePromotion } from '../../features/writing/schema-changes/schema-changes.ts'
import { defineBinding } from '../binding.ts'
import { listAnswer } from '../list-answer.ts'
import { checkSchemaName } from '../path-arguments.ts'
import { settledAnswer, submitterOf } from '../write-answer.ts'

const organizationBindings = [
  defineBinding(putOrganizationSchema, async (deps, { caller, params, body }) => {
    const target = {
      organizationId: caller.organization.id,
      name: checkSchemaName(params.name),
      createdBy: caller.actor,
    }
    const { schema, created } = await putSchemaOfOrganization(deps, target, body.kinds)
    return { outcome: created ? 'created' : 'done', data: { schema } }
  }),
  defineBinding(getOrganizationSchema, async (deps, { caller, params, query }) => ({
    data: {
      schema: await readOrganizationSchema(deps, caller.organization.id, checkSchemaName(params.name), query.version),
    },
  })),
  defineBinding(listOrganizationSchemas, async (deps, { caller, query }) => {
    const { id } = caller.organization
    const list = { scope: deps.listScope(id), list: 'schemas', start: '' }
    return listAnswer(
      'schemas',
      list,
      query,
      (page) => pageOfOrganizationSchemas(deps, id, page),
      ({ name }) => name,
    )
  }),
]

export const schemaBindings = [
  ...organizationBindings,
  defineBinding(getSchema, async (deps, { caller, query }) => ({
    data: { schema: await readSchema(deps, caller.brain, query.version) },
  })),
  defineBinding(evolveSchema, async (deps, call) =>
    settledAnswer(await proposeEvolution(deps, submitterOf(deps, call.caller), call.caller.brain, call)),
  ),
  defineBinding(promoteEmerged, async (deps, call) =>
    settledAnswer(await proposePromotion(deps, submitterOf(deps, call.caller), call.caller.brain, call)),
  ),
  defineBinding(listEmerged, async (deps, { caller, query }) => {
    const { brain } = caller
    const list = brainList(deps.db, brain, { list: 'emerged', start: '' })
    return listAnswer(
      'emerged',
      list,
      query,
      (page) => emergedAfter(deps, brain, page),
      ({ id }) => id,
    )
  }),
  defineBinding(getSchemaLineage, async (deps, { caller, params }) => {
    if (!caller.brain) throw noSuchBrain(params.handle)
    return { data: { lineage: await readLineage(deps, caller.brain) } }
  }),
]
