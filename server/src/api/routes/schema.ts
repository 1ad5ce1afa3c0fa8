import { evolveSchema, getSchema, getSchemaLineage, listEmerged, promoteEmerged } from '@noema/contracts/schema.ts'
import { getOrganizationSchema, listOrganizationSchemas, putOrganizationSchema } from '@noema/contracts/schemas.ts'
import { noSuchBrain } from '../../features/brain/brains/brains.ts'
import {
  emergedAfter,
  pageOfOrganizationSchemas,
  putSchemaOfOrganization,
  readLineage,
  readOrganizationSchema,
  readSchema,
} from '../../features/brain/schema/schema.ts'
import { openPlace } from '../../features/brain/versioning/reading.ts'
import { proposeEvolution, proposePromotion } from '../../features/writing/schema-changes/schema-changes.ts'
import { defineBinding } from '../binding.ts'
import { listAnswer, startOf } from '../list-answer.ts'
import { checkSchemaName } from '../path-arguments.ts'
import { settledAnswer, submitterOf } from '../write-answer.ts'

const organizationBindings = [
  defineBinding(putOrganizationSchema, async (deps, { caller, params, body }) => {
    const target = {
      organizationId: caller.organization.id,
      name: checkSchemaName(params.name),
      createdBy: caller.actor.id,
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
    const scope = deps.listScope(caller.organization.id)
    const after = startOf('schemas', scope, query.after)
    const items = await pageOfOrganizationSchemas(deps, caller.organization.id, { after, limit: query.limit + 1 })
    return listAnswer('schemas', 'schemas', scope, { items, place: ({ name }) => name, limit: query.limit, after })
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
    const after = await openPlace(deps.db, brain, { list: 'emerged', start: '' }, query.after)
    const items = await emergedAfter(deps, brain, { after, limit: query.limit + 1 })
    return listAnswer('emerged', 'emerged', brain, { items, place: ({ id }) => id, limit: query.limit, after })
  }),
  defineBinding(getSchemaLineage, async (deps, { caller, params }) => {
    if (!caller.brain) throw noSuchBrain(params.handle)
    return { data: { lineage: await readLineage(deps, caller.brain) } }
  }),
]
