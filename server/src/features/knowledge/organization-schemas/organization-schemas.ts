import type { SchemaKind } from '@noema/contracts/schema-kinds.ts'
import type { Limits } from '../../../config/config.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, notFound, refuseAt } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import type { SchemaFork } from '../../kernel/brains/brains.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { isSameKinds } from '../kinds/kinds.ts'
import { loadSchema } from '../schema/schema-cache.ts'
import { insertBaseline, insertVersion, selectBaseline } from '../schema/schema-queries.ts'
import { compareKinds } from './difference.ts'
import {
  countOrganizationSchemas,
  insertOrganizationSchema,
  lockOrganizationSchemas,
  type OrganizationSchemaRow,
  selectOrganizationSchema,
  selectOrganizationSchemas,
} from './queries.ts'

// The schemas that an organization declares once for many Brains. A Brain forks one when it is created and evolves it
// separately.

type Deps = { db: Db; clock: Clock }

const toView = ({ createdAt, ...row }: OrganizationSchemaRow) => ({ ...row, createdAt: createdAt.toISOString() })

/** Makes the next version of an organization schema; the same kinds again make none. */
export const storeOrganizationSchema = async (
  deps: Deps & { limits: Pick<Limits, 'schemas'> },
  target: { organizationId: string; name: string; createdBy: Actor },
  kinds: readonly SchemaKind[],
) => {
  const { organizationId, name, createdBy } = target
  return deps.db.transaction().execute(async (tx) => {
    await lockOrganizationSchemas(tx, organizationId)
    const newest = await selectOrganizationSchema(tx, organizationId, name)
    if (newest && isSameKinds(newest.kinds, kinds)) return { schema: toView(newest), created: false }
    if ((await countOrganizationSchemas(tx, organizationId)) >= deps.limits.schemas)
      throw conflict(`This organization has ${deps.limits.schemas} versions of schemas, which is the maximum.`, {
        code: 'too_many_schemas',
      })
    const row = { name, version: (newest?.version ?? 0) + 1, kinds, createdBy }
    const made = await insertOrganizationSchema(tx, organizationId, row, deps.clock.now())
    if (!made) throw conflict('Somebody else just changed this schema. Read it again and repeat the write.')
    const toKept = (of: { version: number; kinds: readonly SchemaKind[] }) => ({
      version: of.version,
      kinds: of.kinds.map(({ kind }) => kind),
    })
    await addAudit(
      tx,
      {
        ...{ organizationId, by: createdBy, action: 'schema.stored', target: { type: 'schema', id: name, name } },
        ...(newest ? { before: toKept(newest) } : {}),
        after: toKept(made),
      },
      made.createdAt,
    )
    return { schema: toView(made), created: made.version === 1 }
  })
}

/** An organization schema at a version, or the newest. */
export const readOrganizationSchema = async (deps: Deps, organizationId: string, name: string, version?: number) => {
  const row = await selectOrganizationSchema(deps.db, organizationId, name, version)
  if (!row)
    throw notFound(`There is no organization schema ${JSON.stringify(name)}${version ? ` of version ${version}` : ''}.`)
  return toView(row)
}

/** The organization's schemas by name after one. */
export const listOrganizationSchemaPage = async (deps: Deps, organizationId: string, page: PageRequest<string>) =>
  (await selectOrganizationSchemas(deps.db, organizationId, page)).map(({ createdAt, ...row }) => ({
    ...row,
    createdAt: createdAt.toISOString(),
  }))

/** Prepares the fork of an organization schema for a new Brain: its newest version as the Brain's first. */
export const findFork = async (deps: Deps, organizationId: string, name: string): Promise<SchemaFork> => {
  const row = await selectOrganizationSchema(deps.db, organizationId, name)
  if (!row) {
    const message = `The organization has no schema ${JSON.stringify(name)}. Create it first, or leave schema out.`
    throw refuseAt(['schema'], message)
  }
  return {
    schemaVersion: 1,
    store: async (tx, brainId, now) => {
      await insertVersion(brainId, { version: 1, kinds: row.kinds, change: null, at: now.toISOString() }).execute(tx)
      await insertBaseline(tx, brainId, { schema: name, version: row.version })
    },
  }
}

/** Reads the origin of a Brain's schema, and the changes of the Brain and of its organization since. */
export const readLineage = async (deps: Pick<Deps, 'db'>, brain: BrainRow) => {
  const forkedFrom = (await selectBaseline(deps.db, brain.brainId)) ?? null
  const { kinds } = await loadSchema(deps.db, brain.brainId, brain.schemaVersion)
  const findVersion = async (version?: number) =>
    forkedFrom ? await selectOrganizationSchema(deps.db, brain.organizationId, forkedFrom.schema, version) : undefined
  const base = await findVersion(forkedFrom?.version)
  const newest = await findVersion()
  const currentVersion = newest?.version ?? null
  return {
    forkedFrom,
    baseline: { currentVersion, moved: forkedFrom !== null && currentVersion !== forkedFrom.version },
    local: compareKinds(base?.kinds ?? [], kinds),
    upstream: compareKinds(base?.kinds ?? [], newest?.kinds ?? []),
  }
}
