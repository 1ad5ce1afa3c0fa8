import { handle as handleSchema } from '@noema/contracts/brains.ts'
import type { SignedIn } from '../features/accounts/auth/auth.ts'
import type { RunPrepared } from '../storage/database.ts'
import { createLookUp } from './look-up.ts'
import type { SessionPrincipal } from './principal.ts'
import { type FoundMember, findMember, findMembers, toWantedSet, type WantedMember } from './queries.ts'

// What a session may do follows from a membership, which is looked up for each request as keys are: whoever is removed
// from an organization is refused at their next request, on every node.

/** What a request says beside its session: the organization to act in, and the Brain that its path names. */
type SessionRequest = { organizationId: string | undefined; handle: string | undefined }

export type SessionAuthentication = {
  /** Who is signed in, and the organization of theirs that the request names. */
  authenticate(signedIn: SignedIn, request: SessionRequest): Promise<SessionPrincipal>
}

/** Finds out in which organization a session acts. */
export const createSessionAuthentication = (deps: { prepared: RunPrepared }): SessionAuthentication => {
  const { prepared } = deps
  const lookUp = createLookUp<WantedMember, FoundMember>({
    one: (wanted) => prepared(findMember(wanted)),
    many: (wanted) => prepared(findMembers({ wanted: toWantedSet(wanted) })),
  })
  return {
    authenticate: async ({ userId, email, emailVerified, signedInAt }, { organizationId, handle }) => {
      const named = handle === undefined ? undefined : handleSchema.safeParse(handle).data
      const row = organizationId === undefined ? undefined : await lookUp({ userId, organizationId, handle: named })
      return {
        kind: 'session',
        actor: { type: 'session', id: userId, userId },
        userId,
        email,
        emailVerified,
        signedInAt,
        namedOrganization: organizationId,
        organization: row && {
          id: row.memberOrganizationId,
          name: row.organizationName,
          tier: row.tier,
          verified: row.verified,
        },
        role: row?.role,
        brain: row?.brainId == null ? undefined : row,
      }
    },
  }
}
