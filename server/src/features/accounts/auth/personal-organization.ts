import { randomBytes } from 'node:crypto'
import type { InvitationCode } from '@noema/contracts/admin.ts'
import type { Queryable } from '../../../storage/database.ts'
import { insertPersonalOrganization, newAccountId } from './account-queries.ts'

/** Creates a personal organization named after its user, so that a new account can mint keys at once. */
export const createPersonalOrganization = async (
  db: Queryable,
  user: { id: string; name: string; email: string },
  tier: InvitationCode['tier'] = 'free',
): Promise<string> => {
  const name = user.name.trim() || (user.email.split('@')[0] ?? user.email)
  const id = newAccountId()
  await insertPersonalOrganization(db, { id, name, slug: toSlug(name), ownerId: user.id, tier })
  return id
}

/** Readable, and unique without a query: 40 random bits follow the name. */
const toSlug = (name: string): string => {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '')
  const suffix = randomBytes(5).toString('hex')
  return words ? `${words}-${suffix}` : suffix
}
