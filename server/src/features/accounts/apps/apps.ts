import { type App, type AppCapability, type AppGrant, appCapabilities } from '@noema/contracts/apps.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, notFound, refuseAt } from '../../../shared/errors.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import {
  type AppRow,
  endGrant,
  type GrantRow,
  lockGrant,
  selectApps,
  selectGrant,
  selectGrants,
  updateCapabilities,
} from './app-queries.ts'
import { toRedirectHosts } from './descriptions.ts'

// Apps of an organization and their grants. Members let them in (`granting.ts`); any member may take that back.

type Deps = { db: Db; clock: Clock }
type Place = { organizationId: string; viewer: Viewer }
type Caller = Place & { actor: Actor }

const iso = (time: Date | null): string | null => time?.toISOString() ?? null

const findStatus = ({ revokedAt, expiresAt }: GrantRow, now: Date): AppGrant['status'] => {
  if (revokedAt !== null) return 'revoked'
  return expiresAt <= now ? 'expired' : 'active'
}

const grantView = (row: GrantRow, now: Date): AppGrant => ({
  id: row.id,
  brain: row.brainId === null ? null : { id: row.brainId, handle: row.handle ?? '' },
  capabilities: row.capabilities,
  status: findStatus(row, now),
  grantedBy: row.userId,
  createdAt: row.createdAt.toISOString(),
  lastUsedAt: iso(row.lastUsedAt),
  expiresAt: row.expiresAt.toISOString(),
  revokedAt: iso(row.revokedAt),
})

const appView = (row: AppRow, grants: readonly GrantRow[], now: Date): App => ({
  id: row.id,
  clientId: row.clientId,
  name: row.name,
  redirectHosts: toRedirectHosts(row.redirectUris),
  registeredAt: row.createdAt.toISOString(),
  grants: grants.filter(({ appId }) => appId === row.id).map((grant) => grantView(grant, now)),
})

/** A page of the apps that members of an organization let in. */
export const listAppPage = async ({ db, clock }: Deps, place: Place, page: PageRequest<string>): Promise<App[]> => {
  const apps = await selectApps(db, place, page)
  const grants =
    apps.length === 0
      ? []
      : await selectGrants(
          db,
          place,
          apps.map(({ id }) => id),
        )
  return apps.map((app) => appView(app, grants, clock.now()))
}

const noSuchApp = (id: string) => notFound(`This organization has no app ${JSON.stringify(id)}.`)

const findApp = async (db: Db, { organizationId, viewer }: Place, id: string): Promise<AppRow> => {
  const [app] = await selectApps(
    db,
    { organizationId, viewer, appId: id },
    { after: undefined, limit: 1, order: 'asc' },
  )
  if (!app) throw noSuchApp(id)
  return app
}

const findGrant = async (db: Db, { organizationId, viewer }: Caller, app: AppRow, id: string): Promise<GrantRow> => {
  const grant = await selectGrant(db, { organizationId, viewer, appId: app.id }, id)
  if (!grant) throw notFound(`The app ${JSON.stringify(app.name)} has no grant ${JSON.stringify(id)}.`)
  return grant
}

const toTarget = (app: AppRow, { handle }: GrantRow) => ({
  ...{ type: 'app', id: app.id, name: app.name },
  ...(handle === null ? {} : { brain: handle }),
})

/** Revokes a grant unless it is revoked already. */
const revoke = async (tx: Tx, { organizationId, actor: by }: Caller, app: AppRow, grant: GrantRow, now: Date) => {
  if ((await lockGrant(tx, grant)) === undefined) return
  await endGrant(tx, grant, now)
  const act = { organizationId, by, action: 'app.revoked', target: toTarget(app, grant) } as const
  await addAudit(tx, { ...act, before: { grantId: grant.id, capabilities: grant.capabilities } }, now)
}

/** Revokes all grants of an app in the caller's organization. */
export const revokeAppById = async (deps: Deps, caller: Caller, id: string): Promise<App> => {
  const now = deps.clock.now()
  const app = await findApp(deps.db, caller, id)
  for (;;) {
    const grants = await selectGrants(deps.db, caller, [id])
    const live = grants.filter(({ revokedAt }) => revokedAt === null)
    if (live.length === 0) return appView(app, grants, now)
    await deps.db.transaction().execute(async (tx) => {
      for (const grant of live) await revoke(tx, caller, app, grant, now)
    })
  }
}

/** Revokes one grant of an app. */
export const revokeGrant = async (deps: Deps, caller: Caller, id: string, grantId: string): Promise<AppGrant> => {
  const now = deps.clock.now()
  const app = await findApp(deps.db, caller, id)
  const grant = await findGrant(deps.db, caller, app, grantId)
  await deps.db.transaction().execute((tx) => revoke(tx, caller, app, grant, now))
  return grantView(await findGrant(deps.db, caller, app, grantId), now)
}

/** Takes capabilities from a grant. */
export const narrowGrant = async (
  deps: Deps,
  caller: Caller,
  { id, grantId }: { id: string; grantId: string },
  kept: readonly AppCapability[],
): Promise<AppGrant> => {
  const now = deps.clock.now()
  const { organizationId, actor: by } = caller
  const app = await findApp(deps.db, caller, id)
  const grant = await findGrant(deps.db, caller, app, grantId)
  await deps.db.transaction().execute(async (tx) => {
    const held = await lockGrant(tx, grant)
    if (held === undefined || grant.expiresAt <= now)
      throw conflict('This grant has ended. The app must ask for a new consent.')
    if (!kept.every((name) => held.includes(name)))
      throw refuseAt(['capabilities'], `The grant has ${held.join(', ')}. Only a new consent gives more.`)
    const capabilities = appCapabilities.filter((name) => kept.includes(name))
    if (capabilities.length === held.length) return
    await updateCapabilities(tx, grant, capabilities)
    const act = { organizationId, by, action: 'app.narrowed', target: toTarget(app, grant) } as const
    await addAudit(tx, { ...act, before: { grantId, capabilities: held }, after: { grantId, capabilities } }, now)
  })
  return grantView(await findGrant(deps.db, caller, app, grantId), now)
}
