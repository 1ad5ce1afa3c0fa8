import { handle as handleSchema } from '@noema/contracts/brains.ts'
import type { SignedIn } from '../features/accounts/auth/auth.ts'
import { createHeadLookUp, createLookUpRunner, type LookUpDeps } from './heads.ts'
import { createLookUp } from './look-up.ts'
import type { SessionPrincipal } from './principal.ts'
import { type FoundMember, findMember, findMembers, type RequestedMember, toRequestedSet } from './queries.ts'
import { noAccess, toPersonalAccess } from './to-principal.ts'

// A session's rights follow from a membership, which is looked up for each request as keys are: a removed member is refused
// at their next request, on every node.

/** The organization that the request names and the Brain in its path. */
type SessionRequest = { organizationId: string | undefined; handle: string | undefined }

export type SessionAuthentication = {
  /** Returns the signed-in person's principal in the organization that the request names. */
  authenticate(signedIn: SignedIn, request: SessionRequest): Promise<SessionPrincipal>
}

/** Authenticates sessions in an organization. */
export const createSessionAuthentication = (deps: LookUpDeps): SessionAuthentication => {
  const run = createLookUpRunner(deps)
  const lookUp = createLookUp<RequestedMember, FoundMember>({
    one: (requested) => run(findMember, requested),
    many: (requested) => run(findMembers, { requested: toRequestedSet(requested) }),
    complete: createHeadLookUp(deps),
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
        role: row?.memberRole,
        ...(row ? toPersonalAccess(row, userId) : noAccess),
      }
    },
  }
}
