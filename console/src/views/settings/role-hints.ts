import type { Role } from '../../data/organization.ts'

/** What each role lets somebody do. */
export const roleHints: Readonly<Record<Role, string>> = {
  member: 'Works in all Brains, with agents and webhooks, and mints management keys.',
  admin: 'Also invites and removes members, revokes any key, and reads who did what.',
  owner: 'Also makes owners, exports the whole organization, and deletes it.',
}
