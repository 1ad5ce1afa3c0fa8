import { z } from 'zod'

/** The capabilities that a Brain key can have. The mode of the Brain, not the key, decides whether a write waits for review. */
export const capability = z.enum(['read', 'write', 'review', 'admin'])
export type Capability = z.infer<typeof capability>

/** All four, in the order in which responses list them. */
export const capabilities: readonly Capability[] = capability.options

/**
 * The callers of an endpoint. The server decides in one place, from this data alone.
 * - `public`: anyone.
 * - `anyone`: any valid key, or a signed-in browser session.
 * - `session`: a signed-in browser session with `x-organization-id`; keys get 403.
 * - `account`: a signed-in browser session, about its own account; keys get 403.
 * - `management`: a management key, or a member's session with `x-organization-id`; Brain keys get 401.
 * - `administrator`: the session of an administrator of the whole service, or a management key that one of them minted;
 *   everyone else gets 403.
 * - `{ capabilities }`: the Brain in the path, by a Brain key that has all of these, or by anyone that `management` lets
 *   through in its organization. A call whose body has one of the `fields` needs the capabilities of that field, too.
 */
export type Access =
  | 'public'
  | 'anyone'
  | 'session'
  | 'account'
  | 'management'
  | 'administrator'
  | { capabilities: readonly Capability[]; fields?: Readonly<Record<string, readonly Capability[]>> }
