import { organization } from 'better-auth/plugins/organization'
import { cancelInvitations, countOwnedOrganizations, lockOrganization, lockUser } from './account-queries.ts'
import { withAuthConnection } from './auth-work.ts'
import { refused, roles } from './call-checks.ts'
import { invitationEmail } from './email-templates.ts'
import { endMembership } from './leaving.ts'
import { auditMember } from './member-audit.ts'
import { auditNewOrganization, auditOrganization } from './organization-audit.ts'
import { sendEmail } from './send-email.ts'
import type { AuthDeps } from './types.ts'

// Organizations and their members (D-13). Calls that change them are one transaction each, which these hooks are part of.

type Person = { id: string; email: string; emailVerified: boolean }

/** Limits the organizations that an account may own (D-18). A lock makes concurrent calls count one after the other. */
const checkOwned = async ({ db, settings }: AuthDeps, { id, emailVerified }: Person): Promise<void> => {
  const { unverified, verified } = settings.maxOrganizations
  const max = emailVerified ? verified : unverified
  const owned = await withAuthConnection(db, async (on) => {
    await lockUser(on, id)
    return countOwnedOrganizations(on, id)
  })
  if (owned < max) return
  const lifting = emailVerified ? '' : ' until its address is confirmed'
  const message = `This account may own ${max} organization${max === 1 ? '' : 's'}${lifting}.`
  throw refused('YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS', message, 'FORBIDDEN')
}

/** Refuses new members of an organization that is being deleted. */
const checkThere = async ({ db }: AuthDeps, organizationId: string): Promise<void> => {
  if (!(await withAuthConnection(db, (on) => lockOrganization(on, organizationId))))
    throw refused('ORGANIZATION_NOT_FOUND', 'This organization was deleted.')
}

/** Cancels the invitations that a person got or sent. */
const endInvitations = async ({ db }: AuthDeps, organizationId: string, { id, email }: Person): Promise<void> => {
  await withAuthConnection(db, (on) => cancelInvitations(on, { organizationId, userId: id, email }))
}

type Invited = { id: string; organizationId: string; to: string; organization: string; inviter: string }

const invite = (deps: AuthDeps, { id, organizationId, ...names }: Invited) => {
  const link = `${deps.settings.appUrl}/accept-invitation?id=${encodeURIComponent(id)}`
  return sendEmail(deps, { ...invitationEmail(names.to, { ...names, id, link }), organizationId })
}

export const organizationPlugin = (deps: AuthDeps) =>
  organization({
    // Brains belong to an organization, so one call must not delete it.
    disableOrganizationDeletion: true,
    cancelPendingInvitationsOnReInvite: true,
    // Someone who signs up with another person's address must not accept their invitation.
    requireEmailVerificationOnInvitation: true,
    allowUserToCreateOrganization: async (user) => {
      await checkOwned(deps, user)
      return true
    },
    organizationHooks: {
      afterCreateOrganization: ({ organization: made, user }) => auditNewOrganization(deps, made, user.id),
      beforeUpdateOrganization: ({ organization: given, member, user }) =>
        auditOrganization(deps, { id: member.organizationId, given, userId: user.id }),
      beforeAcceptInvitation: async ({ invitation, user }) => {
        await checkThere(deps, invitation.organizationId)
        if (invitation.role === 'owner') await checkOwned(deps, user)
      },
      beforeUpdateMemberRole: async ({ member, newRole, user }) => {
        if (newRole === 'owner' && member.role !== 'owner') await checkOwned(deps, user)
      },
      afterCreateInvitation: ({ invitation }) => {
        const { id, email, organizationId, role } = invitation
        const act = { organizationId, action: 'invitation.sent', person: { id, email } } as const
        return auditMember(deps, act, { after: { role } })
      },
      afterCancelInvitation: ({ invitation: { id, email, organizationId } }) =>
        auditMember(deps, { organizationId, action: 'invitation.cancelled', person: { id, email } }),
      afterAcceptInvitation: ({ member: { role, organizationId }, user }) =>
        auditMember(deps, { organizationId, action: 'member.joined', person: user }, { after: { role } }),
      afterUpdateMemberRole: async ({ member, previousRole, user }) => {
        const { organizationId, role } = member
        const changed = { before: { role: previousRole }, after: { role } }
        await auditMember(deps, { organizationId, action: 'member.changed', person: user }, changed)
        // Roles are ordered from most rights to least. After losing rights, a member's invitations with more rights must not stay.
        if (roles.indexOf(member.role) > roles.indexOf(previousRole))
          await endInvitations(deps, member.organizationId, user)
      },
      afterRemoveMember: async ({ user, organization: left }) => {
        await auditMember(deps, { organizationId: left.id, action: 'member.removed', person: user })
        await endMembership(deps, left, user)
      },
    },
    sendInvitationEmail: ({ id, email, organization: { id: organizationId, name }, inviter }) =>
      invite(deps, { id, organizationId, to: email, organization: name, inviter: inviter.user.email }),
  })
