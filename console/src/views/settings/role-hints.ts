import type { Role } from '../../data/organization.ts'

/** The permissions of each role. */
export const roleHints: Readonly<Record<Role, string>> = {
  member: 'Can use all open Brains, agents and webhooks, and mint management keys.',
  admin: 'Can also invite and remove members, revoke any key, and read the audit log.',
  owner: 'Can also appoint owners, and export and delete the organization.',
}
