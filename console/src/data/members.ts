import { isObject } from '@noema/contracts/json.ts'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { ask, call, readText } from '../session/auth.ts'
import type { Session } from '../session/session.tsx'
import type { Role } from './organization.ts'
import type { Things } from './things.ts'

// The members and invitations of an organization. /api/auth stores both.

export type Member = { id: string; userId: string; name: string; email: string; role: Role; joinedAt: string }

export type Invitation = { id: string; email: string; role: Role; inviterId: string; expiresAt: string }

const roles: readonly Role[] = ['owner', 'admin', 'member']
const readRole = (given: Record<string, unknown>): Role =>
  roles.find((role) => role === readText(given, 'role')) ?? 'member'

const readObjects = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isObject) : [])

const membersKey = ({ organization }: Session) => [organization.id, 'members'] as const

const ranks: Record<Role, number> = { owner: 0, admin: 1, member: 2 }

/** The members, owners first. */
export const membersQuery = (session: Session) =>
  queryOptions({
    queryKey: [...membersKey(session), 'list'],
    queryFn: async (): Promise<Member[]> => {
      const id = encodeURIComponent(session.organization.id)
      const found = await call(`/organization/get-full-organization?organizationId=${id}`)
      const members = readObjects(found?.members).map((one) => {
        const user = isObject(one.user) ? one.user : {}
        const [email, name] = [readText(user, 'email'), readText(user, 'name')]
        const ids = { id: readText(one, 'id'), userId: readText(one, 'userId') }
        return { ...ids, email, name, role: readRole(one), joinedAt: readText(one, 'createdAt') }
      })
      return members.sort((one, other) => ranks[one.role] - ranks[other.role] || one.email.localeCompare(other.email))
    },
  })

/** Open invitations, newest first. For people who can invite. */
export const invitationsQuery = (session: Session) =>
  queryOptions({
    queryKey: [...membersKey(session), 'invitations'],
    queryFn: async (): Promise<Invitation[]> => {
      const id = encodeURIComponent(session.organization.id)
      const found = await ask(`/organization/list-invitations?organizationId=${id}`)
      return readObjects(found)
        .filter((one) => readText(one, 'status') === 'pending')
        .map((one) => ({
          id: readText(one, 'id'),
          email: readText(one, 'email'),
          role: readRole(one),
          inviterId: readText(one, 'inviterId'),
          expiresAt: readText(one, 'expiresAt'),
        }))
        .sort((one, other) => other.expiresAt.localeCompare(one.expiresAt))
    },
  })

/** Reloads members and invitations. */
export const refreshMembers = (queries: QueryClient, session: Session) =>
  Promise.all([
    queries.invalidateQueries({ queryKey: membersKey(session) }),
    queries.invalidateQueries({ queryKey: [session.organization.id, 'organization'] }),
  ])

/** Sends an invitation. An earlier one to the same address is revoked. */
export const invite = ({ organization }: Session, { email, role }: { email: string; role: Role }) =>
  call('/organization/invite-member', { organizationId: organization.id, email, role })

/** Sends the same invitation again and extends it. An expired one is replaced. */
export const inviteAgain = ({ organization }: Session, { email, role }: Invitation) =>
  call('/organization/invite-member', { organizationId: organization.id, email, role, resend: true })

export const cancelInvitation = (id: string) => call('/organization/cancel-invitation', { invitationId: id })

export const changeRole = ({ organization }: Session, member: Member, role: Role) =>
  call('/organization/update-member-role', { organizationId: organization.id, memberId: member.id, role })

/** The items that were revoked or paused with a membership, and those that continue. */
export type Ended = { revoked: Things; paused: Things; remaining: Things }

const readThings = (value: unknown): Things =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([group, things]) => [group, readObjects(things)]))
    : {}

const readEnded = (answer: Record<string, unknown> | undefined): Ended => ({
  revoked: readThings(answer?.revoked),
  paused: readThings(answer?.paused),
  remaining: readThings(answer?.remaining),
})

export const removeMember = async (
  { organization }: Session,
  member: Member,
  { revokeBrainKeys }: { revokeBrainKeys: boolean },
): Promise<Ended> =>
  readEnded(
    await call('/organization/remove-member', {
      organizationId: organization.id,
      memberIdOrEmail: member.id,
      revokeBrainKeys,
    }),
  )

export const leaveOrganization = async ({ organization }: Session): Promise<Ended> =>
  readEnded(await call('/organization/leave', { organizationId: organization.id }))
