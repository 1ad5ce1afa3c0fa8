import { randomBytes } from 'node:crypto'
import { roleCapabilities } from '@noema/contracts/access.ts'
import { type AppCapability, appCapabilities } from '@noema/contracts/apps.ts'
import { conflict, notFound, refuseAt, validation } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import type { Tx } from '../../../storage/database.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import {
  countBrainKeys,
  countManagementKeys,
  insertBrainKey,
  insertManagementKey,
  lockKeyCount,
} from '../keys/key-queries.ts'
import { checkRoom, maxKeyDays } from '../keys/keys.ts'
import { holdAccess } from '../keys/revoking.ts'
import { findOpenBrain, holdApp } from './app-queries.ts'

// A consent makes a grant: the row of a key that no secret has. Tokens name it, and every request looks it up, as it looks up a
// key, so it ends everywhere with the next request.

/** A person's consent: where an app is let in, what it may do there, and until when. */
export type Consent = {
  clientId: string
  userId: string
  organizationId: string
  /** The handle of the Brain; undefined for the agents of the organization. */
  handle: string | undefined
  capabilities: readonly AppCapability[]
  expiresAt: Date
}

const dayMilliseconds = 86_400_000

const checkConsent = ({ capabilities, expiresAt }: Consent, now: Date): void => {
  if (capabilities.length === 0) throw refuseAt(['capabilities'], 'Choose at least one of read, write and review.')
  const days = (expiresAt.getTime() - now.getTime()) / dayMilliseconds
  if (!(days > 0 && days <= maxKeyDays))
    throw refuseAt(['expiresAt'], `A consent ends at most ${maxKeyDays} days from now.`)
}

const countGrants = (tx: Tx, organizationId: string, brainId: number | undefined, now: Date) =>
  brainId === undefined ? countManagementKeys(tx, organizationId, now) : countBrainKeys(tx, brainId, now)

/** Stores a consent, in the caller's transaction. Answers the id of the grant. */
export const grantAccess = async (
  tx: Tx,
  { now, maxKeys }: { now: Date; maxKeys: number },
  consent: Consent,
): Promise<string> => {
  checkConsent(consent, now)
  const { clientId, userId, organizationId, handle, expiresAt } = consent
  const actor = { type: 'session', id: userId, userId } as const
  await holdAccess(tx, actor, { organizationId })
  const app = await holdApp(tx, clientId)
  if (!app) throw validation('This app is no longer registered. Start again from the app.')
  const brain = handle === undefined ? undefined : await findOpenBrain(tx, { organizationId, handle, userId })
  const brainId = brain?.brainId
  if (handle !== undefined && brainId === undefined)
    throw notFound(`There is no Brain ${JSON.stringify(handle)} in this organization.`)
  await lockKeyCount(tx, brainId === undefined ? { organizationId } : { brainId })
  checkRoom(await countGrants(tx, organizationId, brainId, now), { limits: { keys: maxKeys } })
  const held = roleCapabilities[brain?.role ?? 'manager']
  const capabilities = appCapabilities.filter((name) => consent.capabilities.includes(name) && held.includes(name))
  if (capabilities.length === 0) throw refuseAt(['capabilities'], 'Your role in this Brain has none of these.')
  const key = {
    id: newId('key', now),
    // Of no token.
    hash: randomBytes(32),
    name: app.name,
    prefix: 'nat_',
    createdBy: userId,
    createdAt: now,
    expiresAt,
    idempotencyKey: null,
    fingerprint: null,
    appId: app.id,
    capabilities,
  }
  const made =
    brainId === undefined
      ? await insertManagementKey(tx, organizationId, key)
      : await insertBrainKey(tx, brainId, { ...key, people: [userId], line: null })
  if (!made) throw conflict('The consent could not be stored. Try again.')
  const target = { type: 'app', id: app.id, name: app.name, ...(handle === undefined ? {} : { brain: handle }) }
  const after = { grantId: key.id, capabilities, expiresAt }
  await addAudit(tx, { organizationId, by: actor, action: 'app.connected', target, after }, now)
  return key.id
}
