import type { BrainKey, ManagementKey } from '@noema/contracts/keys.ts'
import type { Clock } from '../../../shared/clock.ts'
import { notFound } from '../../../shared/errors.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import {
  type BrainKeyRow,
  type ManagementKeyRow,
  selectBrainKey,
  selectBrainKeys,
  selectManagementKey,
  selectManagementKeys,
} from './key-queries.ts'

// Keys as answers show them: what they are and how long they work, never their secret.

type Deps = { db: Db; clock: Clock }
type Page = PageRequest<string>

const iso = (time: Date | null): string | null => time?.toISOString() ?? null

const keyView = (row: ManagementKeyRow | BrainKeyRow, now: Date) => {
  const expired = row.expiresAt !== null && row.expiresAt <= now
  const status = row.revokedAt ? ('revoked' as const) : expired ? ('expired' as const) : ('active' as const)
  return {
    id: row.id,
    name: row.name,
    status,
    prefix: row.prefix,
    createdAt: row.createdAt.toISOString(),
    createdBy: row.createdBy,
    lastUsedAt: iso(row.lastUsedAt),
    expiresAt: iso(row.expiresAt),
    revokedAt: iso(row.revokedAt),
  }
}

/** A management key as answers show it. */
export const managementKeyView = (row: ManagementKeyRow, now: Date): ManagementKey => ({
  ...keyView(row, now),
  organizationId: row.organizationId,
})

/** A key of a Brain as answers show it. */
export const brainKeyView = (row: BrainKeyRow, now: Date): BrainKey => ({
  ...keyView(row, now),
  capabilities: row.capabilities,
  replacedBy: row.replacedBy,
})

/** A page of an organization's management keys, revoked ones included. */
export const listManagementKeyPage = async (
  deps: Deps,
  organizationId: string,
  page: Page,
): Promise<ManagementKey[]> => {
  const rows = await selectManagementKeys(deps.db, organizationId, page)
  return rows.map((row) => managementKeyView(row, deps.clock.now()))
}

/** The row of a management key. */
export const findManagementKey = async (
  { db }: Pick<Deps, 'db'>,
  organizationId: string,
  id: string,
): Promise<ManagementKeyRow> => {
  const found = await selectManagementKey(db, organizationId, id)
  if (!found) throw notFound(`This organization has no key ${JSON.stringify(id)}.`)
  return found
}

/** A management key of an organization. */
export const readManagementKey = async (deps: Deps, organizationId: string, id: string): Promise<ManagementKey> =>
  managementKeyView(await findManagementKey(deps, organizationId, id), deps.clock.now())

/** A page of a Brain's keys, all or those of an owner, revoked ones included. */
export const listBrainKeyPage = async (
  deps: Deps,
  brainId: number,
  page: Page,
  owner?: Viewer,
): Promise<BrainKey[]> => {
  const rows = await selectBrainKeys(deps.db, brainId, page, owner)
  return rows.map((row) => brainKeyView(row, deps.clock.now()))
}

/** The refusal of an id that no key of the Brain has. */
export const noSuchBrainKey = (id: string) => notFound(`This Brain has no key ${JSON.stringify(id)}.`)

/** A key of a Brain, if it is the owner's. */
export const readBrainKey = async (deps: Deps, brainId: number, id: string, owner?: Viewer): Promise<BrainKey> => {
  const row = await selectBrainKey(deps.db, brainId, id, { owner })
  if (!row) throw noSuchBrainKey(id)
  return brainKeyView(row, deps.clock.now())
}
