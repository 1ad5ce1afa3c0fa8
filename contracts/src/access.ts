import { z } from 'zod'

/** The capabilities that a Brain key can have. The mode of the Brain, not the key, decides whether a write waits for review. */
export const capability = z.enum(['read', 'write', 'review', 'admin'])
export type Capability = z.infer<typeof capability>

/** All four, in the order in which responses list them. */
export const capabilities: readonly Capability[] = capability.options

/**
 * The roles of members in a Brain that is open to named members only. Each may do what the one before it may, and more:
 * `reader` reads, `writer` writes, `reviewer` decides changes, `manager` changes settings, keys and members.
 */
export const brainRole = z
  .enum(['reader', 'writer', 'reviewer', 'manager'])
  .describe('A `reader` reads, a `writer` also writes, a `reviewer` also decides, a `manager` also manages.')
export type BrainRole = z.infer<typeof brainRole>

/** The capabilities of a role: a manager has all four. */
export const roleCapabilities: Readonly<Record<BrainRole, readonly Capability[]>> = {
  reader: ['read'],
  writer: ['read', 'write'],
  reviewer: ['read', 'write', 'review'],
  manager: capabilities,
}

/**
 * The callers of an endpoint. The server decides in one place, from this data alone.
 * - `public`: anyone.
 * - `anyone`: any valid key, or a signed-in browser session.
 * - `session`: a signed-in browser session with `x-organization-id`; keys get 403.
 * - `account`: a signed-in browser session, about its own account; keys get 403.
 * - `management`: a management key, or a member's session with `x-organization-id`; Brain keys get 401. If the path names a
 *   Brain, the member must be a manager of it, or have the role that the endpoint declares.
 * - `administrator`: the session of an administrator of the whole service, or a management key that one of them minted;
 *   everyone else gets 403.
 * - `{ capabilities }`: the Brain in the path, by a Brain key that has all of these, or by anyone that `management` lets
 *   through in its organization and whose role in the Brain has them. A call whose body has one of the `fields` needs the capabilities of that field, too.
 */
export type Access =
  | 'public'
  | 'anyone'
  | 'session'
  | 'account'
  | 'management'
  | 'administrator'
  | { capabilities: readonly Capability[]; fields?: Readonly<Record<string, readonly Capability[]>> }
