import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, invalidArgument } from '../../../shared/errors.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { deletePasswordLinks, lockOrganization, selectFirstAccount } from '../../accounts/auth/account-queries.ts'
import type { EndAccess } from '../../accounts/auth/ended-access.ts'
import { leaveOrganization } from '../../accounts/auth/leaving.ts'
import type { Passwords } from '../../accounts/auth/passwords.ts'
import { accountDeleted, checkProof, hasPassword } from '../../accounts/auth/proof.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import type { Mail } from '../../platform/mail/mail.ts'
import { addErasure, type Erase } from '../erasures/erasures.ts'
import { endLocked, readContents } from '../organization-deletion/delete-organization.ts'
import { lockWhole, selectHeldBrains } from '../organization-deletion/organization-queries.ts'
import {
  deleteMembership,
  deleteUser,
  forgetAdminEvents,
  forgetInAudit,
  forgetInvitations,
  forgetMail,
  lockWholeAccount,
  type Membership,
  selectMembershipsWithOthers,
} from './queries.ts'

// Deleting an account: one transaction deletes it, the organizations that end with it, and its memberships of others, as if the
// member had left. Its acts stay under its id, which leads to no name any more.

type Deps = {
  db: Db
  clock: Clock
  mail: Mail
  passwords: Passwords
  endAccess: EndAccess
  adminEmails: readonly string[]
}

/** Whose account ends. */
type Person = { userId: string; email: string; signedInAt: Date; actor: Actor }

type Asked = { confirm: string; password?: string | undefined; organizations: string[]; revokeBrainKeys: boolean }

/** Decides about an organization when one of its members is gone. */
const findFate = ({ role, isPersonal, otherOwners, otherMembers }: Membership): 'deleted' | 'left' | 'undecided' => {
  if (role !== 'owner' || otherOwners > 0) return 'left'
  return isPersonal && otherMembers === 0 ? 'deleted' : 'undecided'
}

/** A preview of the deletion of an account. */
export const previewAccountEnd = async (
  deps: Pick<Deps, 'db'>,
  { userId, email }: Pick<Person, 'userId' | 'email'>,
) => {
  const organizations = []
  for (const membership of await selectMembershipsWithOthers(deps.db, userId)) {
    const { isPersonal: _isPersonal, otherOwners: _otherOwners, ...reported } = membership
    const fate = findFate(membership)
    const isLeft = fate === 'left'
    const takes = isLeft ? null : await readContents(deps, membership.id)
    const heldBrains = isLeft ? [] : await selectHeldBrains(deps.db, membership.id)
    organizations.push({ ...reported, fate, takes, heldBrains })
  }
  const proof = (await hasPassword(deps.db, userId)) ? 'password' : 'fresh_session'
  return { account: { id: userId, email }, proof, organizations }
}

/** Keeps the next person who signs up from becoming the administrator of the service. */
const checkAdministrator = async ({ db, adminEmails }: Deps, userId: string): Promise<void> => {
  if (adminEmails.length === 0 && (await selectFirstAccount(db)) === userId)
    throw conflict(
      'This account administers the service, because it is its first. Name its administrators in NOEMA_ADMIN_EMAILS before.',
      { code: 'last_administrator' },
    )
}

/** Decides which organizations end with the account and which go on; throws 409 unless the request says so of each. */
const decide = (memberships: readonly Membership[], asked: readonly string[]) => {
  for (const [index, id] of asked.entries())
    if (memberships.find((one) => one.id === id)?.role !== 'owner')
      throw invalidArgument(['organizations', index], 'It is not the id of an organization that you own.')
  const isEnded = (one: Membership) => findFate(one) === 'deleted' || asked.includes(one.id)
  const undecided = memberships.filter((one) => findFate(one) === 'undecided' && !asked.includes(one.id))
  if (undecided.length > 0)
    throw conflict(
      'You are the last owner of organizations. Make another member an owner of each, or send its id in organizations to delete it, too.',
      {
        code: 'last_owner',
        details: undecided.map(({ id, name }) => ({
          path: ['organizations', id],
          message: `${JSON.stringify(name)} has no other owner.`,
        })),
      },
    )
  return { ended: memberships.filter(isEnded), left: memberships.filter((one) => !isEnded(one)) }
}

const toState = (memberships: readonly Membership[]) =>
  JSON.stringify(memberships.map((one) => [one.id, findFate(one), one.role]))

/** Ends a membership in an organization that goes on. */
const leave = async (tx: Tx, deps: Deps, { person, organization, brainKeys }: Parameters<typeof toLeaving>[0]) => {
  const act = { organizationId: organization.id, by: person.actor, action: 'member.left' } as const
  await addAudit(tx, { ...act, target: { type: 'member', id: person.userId } }, deps.clock.now())
  await deleteMembership(tx, organization.id, person.userId)
  await leaveOrganization(deps, tx, toLeaving({ person, organization, brainKeys }))
}

const toLeaving = (given: { person: Person; organization: Membership; brainKeys: 'none' | 'made' }) => ({
  organization: given.organization,
  person: { id: given.person.userId, email: given.person.email },
  shownAs: 'Somebody whose account was deleted',
  brainKeys: given.brainKeys,
})

/** Locks organizations by their ids, as far as they are to be changed, and then the account. */
const lockAll = async (tx: Tx, userId: string, { ended, left }: ReturnType<typeof decide>): Promise<void> => {
  const all = [...ended, ...left].sort((a, b) => (a.id < b.id ? -1 : 1))
  for (const one of all) {
    if (ended.includes(one)) await lockWhole(tx, one.id)
    else await lockOrganization(tx, one.id)
  }
  if (!(await lockWholeAccount(tx, userId))) throw accountDeleted()
}

/** Deletes an account, if its person shows who they are and says so by its address. */
export const endAccount = async (deps: Deps, person: Person, asked: Asked) => {
  const { userId, email } = person
  if (asked.confirm.trim().toLowerCase() !== email.toLowerCase())
    throw invalidArgument(['confirm'], 'It repeats the address of your account.')
  await checkProof(deps, person, asked.password)
  await checkAdministrator(deps, userId)
  const memberships = await selectMembershipsWithOthers(deps.db, userId)
  const decided = decide(memberships, asked.organizations)
  await deps.db.transaction().execute(async (tx) => {
    await lockAll(tx, userId, decided)
    if (toState(await selectMembershipsWithOthers(tx, userId)) !== toState(memberships))
      throw conflict('Your organizations changed at the same moment. Look at what this takes, and repeat it.')
    const now = deps.clock.now()
    for (const organization of decided.ended) await endLocked(tx, organization, person.actor, now)
    const brainKeys = asked.revokeBrainKeys ? 'made' : 'none'
    for (const organization of decided.left) await leave(tx, deps, { person, organization, brainKeys })
    await deletePasswordLinks(tx, userId)
    await deleteUser(tx, userId)
    const address = email.toLowerCase()
    await addErasure(tx, { kind: 'account', subject: userId, address, by: person.actor }, now)
  })
  const toIds = (list: readonly Membership[]) => list.map(({ id }) => id)
  return { deleted: toIds(decided.ended), left: toIds(decided.left) }
}

/** Erases the last traces of the name of a person whose account has ended. Later data belong to the address's next user. */
export const createAccountErasing =
  ({ db }: Pick<Deps, 'db'>): Erase =>
  async ({ subject: userId, address, endedAt: before }) => {
    if (address === null) return true
    const person = { userId, address, before }
    await forgetInAudit(db, person)
    await forgetMail(db, person)
    await forgetAdminEvents(db, person)
    await forgetInvitations(db, person)
    return true
  }
