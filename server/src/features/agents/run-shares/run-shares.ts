import { type RunShare, type SharedPart, shareDays } from '@noema/contracts/shared-runs.ts'
import type { Limits } from '../../../config/config.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, forbidden, invalidArgument, notFound } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import type { SecretBox } from '../../../shared/secret-box.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db } from '../../../storage/database.ts'
import { holdAccess } from '../../accounts/keys/revoking.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { findRun } from '../runs/runs.ts'
import {
  countShares,
  deleteEndedShares,
  insertShare,
  lockShares,
  markRevoked,
  type ShareRow,
  selectShares,
} from './queries.ts'

// Links by which anyone reads a run. A token names the organization and the link, and only the service can make and read one.

export type ShareDeps = {
  db: Db
  keyedDb: Db
  clock: Clock
  secretBox: SecretBox
  sharesRuns: boolean
  limits: Pick<Limits, 'runShares'>
}

const day = 86_400_000
/** Days that a link which ended stays in the list. */
const keptDays = 90
/** The context that tokens are encrypted for. */
export const tokenContext = 'link to a run'

const shareView = ({ createdAt, expiresAt, lastViewedAt, revokedAt, ...row }: ShareRow): RunShare => ({
  ...row,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
  lastViewedAt: lastViewedAt?.toISOString() ?? null,
  revokedAt: revokedAt?.toISOString() ?? null,
})

const toExpiry = (sent: string | undefined, now: Date): Date => {
  const expiresAt = sent === undefined ? new Date(now.getTime() + shareDays.usual * day) : new Date(sent)
  const ahead = expiresAt.getTime() - now.getTime()
  if (ahead <= 0 || ahead > shareDays.most * day)
    throw invalidArgument(['expiresAt'], `A link ends in the future, at most ${shareDays.most} days from now.`)
  return expiresAt
}

/** Makes a link to a run of an organization. Answers it with its token, which is nowhere else. */
export const shareRun = async (
  deps: ShareDeps,
  { organizationId, id, by }: { organizationId: string; id: string; by: Actor },
  { expiresAt: sent, include }: { expiresAt?: string | undefined; include: readonly SharedPart[] },
): Promise<{ share: RunShare; token: string }> => {
  const { db, clock, secretBox, limits, sharesRuns } = deps
  if (!sharesRuns)
    throw forbidden('The operator of this service does not allow links to runs. NOEMA_SHARED_RUNS=true allows them.', {
      code: 'shared_runs_off',
    })
  const now = clock.now()
  const expiresAt = toExpiry(sent, now)
  const run = await findRun(deps, { organizationId, id })
  const row = await db.transaction().execute(async (tx) => {
    await holdAccess(tx, by, { organizationId })
    await lockShares(tx, organizationId)
    await deleteEndedShares(tx, organizationId, new Date(now.getTime() - keptDays * day))
    if ((await countShares(tx, organizationId, now)) >= limits.runShares)
      throw conflict(`This organization has ${limits.runShares} links to runs, which is the maximum. Revoke some.`, {
        code: 'too_many_shares',
      })
    const unique = [...new Set(include)]
    const share = { id: newId('shr', now), runId: run.id, include: unique, createdBy: by, createdAt: now, expiresAt }
    const target = { type: 'run', id: run.id } as const
    const after = { link: share.id, include: unique, expiresAt: expiresAt.toISOString() }
    await addAudit(tx, { organizationId, by, action: 'run.shared', target, after }, now)
    return insertShare(tx, organizationId, share)
  })
  const token = secretBox.encrypt(JSON.stringify({ organizationId, id: row.id }), tokenContext).toString('base64url')
  return { share: shareView(row), token }
}

/** The refusal of an id that no link of the organization has. */
export const noSuchShare = (id: string) => notFound(`This organization has no link ${JSON.stringify(id)}.`)

/** A page of the links of an organization that a viewer may see. */
export const listSharePage = async (
  { db }: Pick<ShareDeps, 'db'>,
  filter: { organizationId: string; runId: string | undefined; viewer: Viewer },
  page: PageRequest<string>,
): Promise<RunShare[]> => (await selectShares(db, filter, page)).map(shareView)

/** Revokes a link. */
export const revokeShare = (
  { db, clock }: Pick<ShareDeps, 'db' | 'clock'>,
  { organizationId, id, by }: { organizationId: string; id: string; by: Actor },
): Promise<void> =>
  db.transaction().execute(async (tx) => {
    const now = clock.now()
    const revoked = await markRevoked(tx, { organizationId, id }, now)
    if (!revoked) throw noSuchShare(id)
    if (!revoked.isNew) return
    const target = { type: 'run', id: revoked.runId } as const
    await addAudit(tx, { organizationId, by, action: 'run.unshared', target, before: { link: id } }, now)
  })
