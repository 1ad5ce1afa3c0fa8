import type { BrainRole } from '@noema/contracts/access.ts'
import type { AuditAction } from '@noema/contracts/audit.ts'
import {
  type BrainAccess,
  type BrainMember,
  type changeBrainAccess,
  maxBrainMembers,
  type RestrictedBrain,
} from '@noema/contracts/brain-access.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, forbidden, invalidArgument, notFound } from '../../../shared/errors.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import type { BrainRow } from '../brains/brain-queries.ts'
import { noSuchBrain, onBrainOfHandle, toAct } from '../brains/brains.ts'
import type { BrainLocks } from '../locks/locks.ts'
import {
  countMembers,
  deleteMember,
  deleteRestricted,
  holdMemberNamed,
  insertRestricted,
  isRestricted,
  type MemberRow,
  markTakenOver,
  selectMembers,
  selectRestrictedBrains,
  selectRole,
  upsertMember,
} from './member-queries.ts'

// Access per person. A Brain is open to its organization, or restricted to members with a role each. Changes lock the Brain's row,
// so that the last manager cannot be taken out twice at once, and check again that their caller is a manager.

/** Pauses what people without access to a Brain have set up to receive its content. */
type PauseStrangers = (tx: Tx, brain: BrainRow) => Promise<void>

type Deps = { db: Db; clock: Clock; brainLocks: BrainLocks; pauseStrangers: PauseStrangers }

/** The person who changes access, as whom the audit log knows, and their role in the organization. */
type Changer = { by: Actor; userId: string; orgRole: string }

const memberView = ({ addedAt, ...row }: MemberRow): BrainMember => ({ ...row, addedAt: addedAt.toISOString() })

const notRestricted = () =>
  conflict('This Brain is open to its whole organization. Restrict it to members first.', { code: 'not_restricted' })

/** Reads who may use a Brain, as a person with this role sees it. */
export const readAccess = async (
  { db }: Pick<Deps, 'db'>,
  { brainId }: Pick<BrainRow, 'brainId'>,
  role: BrainRole | null,
): Promise<BrainAccess> => {
  const members = await selectMembers(db, brainId)
  const isClosed = members.length > 0 || (await isRestricted(db, brainId))
  return { openTo: isClosed ? 'members' : 'organization', role, members: members.map(memberView) }
}

const audit = (
  tx: Tx,
  act: { brain: BrainRow; by: Actor; action: AuditAction; before?: object; after?: object },
  now: Date,
) => {
  const { brain, by, action, before, after } = act
  const changed = { ...(before ? { before: { ...before } } : {}), ...(after ? { after: { ...after } } : {}) }
  return addAudit(tx, { ...toAct(brain, by, action), ...changed }, now)
}

const checkNumbers = async (tx: Tx, brainId: number): Promise<void> => {
  const { members, managers } = await countMembers(tx, brainId)
  if (managers === 0)
    throw conflict('This is the last manager of the Brain. Make somebody else a manager first, or open the Brain.', {
      code: 'last_manager',
    })
  if (members > maxBrainMembers)
    throw conflict(`A Brain names at most ${maxBrainMembers} members.`, { code: 'too_many_members' })
}

/** Runs a change under the Brain's lock. */
const change = <Result>(deps: Deps, brain: BrainRow, act: (tx: Tx, now: Date) => Promise<Result>): Promise<Result> =>
  onBrainOfHandle(deps, brain, async (tx, current) => {
    if (current?.brainId !== brain.brainId) throw noSuchBrain(brain.handle)
    return act(tx, deps.clock.now())
  })

/** Refuses a caller who lost the role of a manager while this waited for the lock. */
const checkManager = async (tx: Tx, brain: BrainRow, userId: string): Promise<void> => {
  const role = await selectRole(tx, brain.brainId, userId)
  if (role === undefined) throw noSuchBrain(brain.handle)
  if (role !== 'manager') throw forbidden('Only managers of this Brain may change who uses it.')
}

const findPerson = async (tx: Tx, organizationId: string, named: string): Promise<string> => {
  const found = await holdMemberNamed(tx, organizationId, named)
  if (!found) throw notFound(`This organization has no member ${JSON.stringify(named)}. Invite them first.`)
  return found.userId
}

/** Makes a Brain one of named members, whose first manager is this person, in the transaction that locks or creates it. */
export const restrict = async (tx: Tx, brain: BrainRow, { by, userId }: Omit<Changer, 'orgRole'>, now: Date) => {
  const { brainId, organizationId } = brain
  await insertRestricted(tx, brain, now)
  await upsertMember(tx, { brainId, organizationId, userId, role: 'manager', addedBy: by.id }, now)
}

type GivenMembers = NonNullable<BodyOutput<typeof changeBrainAccess>['members']>

const nameMembers = async (tx: Tx, brain: BrainRow, by: Actor, given: GivenMembers, now: Date) => {
  const { brainId, organizationId } = brain
  for (const [index, { member, role }] of given.entries()) {
    const found = await holdMemberNamed(tx, organizationId, member)
    if (!found)
      throw invalidArgument(['members', index, 'member'], `This organization has no member ${JSON.stringify(member)}.`)
    await upsertMember(tx, { brainId, organizationId, userId: found.userId, role, addedBy: by.id }, now)
  }
}

const toKept = (members: readonly MemberRow[]) => members.map(({ userId, role }) => ({ userId, role }))

const close = async (deps: Deps, tx: Tx, brain: BrainRow, changer: Changer, members: GivenMembers, now: Date) => {
  const { by, userId, orgRole } = changer
  const isClosed = await isRestricted(tx, brain.brainId)
  if (isClosed) await checkManager(tx, brain, userId)
  else if (orgRole !== 'owner' && orgRole !== 'admin')
    throw forbidden('Only owners and admins of the organization restrict a Brain that is open to everyone.')
  const before = toKept(await selectMembers(tx, brain.brainId))
  await nameMembers(tx, brain, by, members, now)
  if (!isClosed) await restrict(tx, brain, changer, now)
  await checkNumbers(tx, brain.brainId)
  const after = toKept(await selectMembers(tx, brain.brainId))
  if (isClosed && JSON.stringify(before) === JSON.stringify(after)) return
  await deps.pauseStrangers(tx, brain)
  const openTo = isClosed ? 'members' : 'organization'
  const act = { before: { openTo, members: before }, after: { openTo: 'members', members: after } }
  await audit(tx, { brain, by, action: 'brain.access_changed', ...act }, now)
}

const open = async (tx: Tx, brain: BrainRow, { by, userId }: Changer, now: Date) => {
  if (!(await isRestricted(tx, brain.brainId))) return
  await checkManager(tx, brain, userId)
  const before = { openTo: 'members', members: toKept(await selectMembers(tx, brain.brainId)) }
  await deleteRestricted(tx, brain.brainId)
  await audit(tx, { brain, by, action: 'brain.access_changed', before, after: { openTo: 'organization' } }, now)
}

/** Restricts a Brain to members, or opens it to its organization. A call that changes nothing leaves no trace. */
export const changeAccess = (
  deps: Deps,
  brain: BrainRow,
  changer: Changer,
  { openTo, members = [] }: BodyOutput<typeof changeBrainAccess>,
): Promise<void> => {
  if (openTo === 'organization' && members.length > 0)
    throw invalidArgument(['members'], 'A Brain that is open to the organization names no members.')
  return change(deps, brain, (tx, now) =>
    openTo === 'members' ? close(deps, tx, brain, changer, members, now) : open(tx, brain, changer, now),
  )
}

/** Gives a member of the organization a role in a restricted Brain. */
export const putMember = (
  deps: Deps,
  brain: BrainRow,
  { by, userId }: Omit<Changer, 'orgRole'>,
  given: { named: string; role: BrainRole },
): Promise<BrainMember> =>
  change(deps, brain, async (tx, now) => {
    const { brainId, organizationId } = brain
    if (!(await isRestricted(tx, brainId))) throw notRestricted()
    await checkManager(tx, brain, userId)
    const person = await findPerson(tx, organizationId, given.named)
    const former = await selectRole(tx, brainId, person)
    await upsertMember(tx, { brainId, organizationId, userId: person, role: given.role, addedBy: by.id }, now)
    await checkNumbers(tx, brainId)
    const [row] = await selectMembers(tx, brainId, person)
    if (!row) throw notFound('This person is no longer there.')
    if (former === given.role) return memberView(row)
    await deps.pauseStrangers(tx, brain)
    const [before, after] = [
      { userId: person, role: former ?? null },
      { userId: person, role: given.role },
    ]
    await audit(tx, { brain, by, action: 'brain.member_changed', before, after }, now)
    return memberView(row)
  })

/** Takes a member out of a restricted Brain: managers anyone, others themselves. */
export const removeMember = (
  deps: Deps,
  brain: BrainRow,
  { by, userId }: Omit<Changer, 'orgRole'>,
  named: string,
): Promise<BrainMember> =>
  change(deps, brain, async (tx, now) => {
    const { brainId } = brain
    if (!(await isRestricted(tx, brainId))) throw notRestricted()
    const row = (await selectMembers(tx, brainId)).find(
      (one) => one.userId === named || one.email.toLowerCase() === named.toLowerCase(),
    )
    if (row?.userId !== userId) await checkManager(tx, brain, userId)
    if (!row) throw notFound(`This Brain names no member ${JSON.stringify(named)}.`)
    await deleteMember(tx, brainId, row.userId)
    await checkNumbers(tx, brainId)
    await deps.pauseStrangers(tx, brain)
    const before = { userId: row.userId, role: row.role }
    await audit(tx, { brain, by, action: 'brain.member_removed', before }, now)
    return memberView(row)
  })

/** Makes an owner of the organization a manager of a restricted Brain. Its other managers are notified. */
export const takeOver = (deps: Deps, brain: BrainRow, { by, userId }: Omit<Changer, 'orgRole'>): Promise<void> =>
  change(deps, brain, async (tx, now) => {
    const { brainId, organizationId } = brain
    const owner = await holdMemberNamed(tx, organizationId, userId)
    if (owner?.orgRole !== 'owner') throw forbidden('Only owners of the organization take Brains over.')
    if (!(await isRestricted(tx, brainId))) throw notRestricted()
    const former = await selectRole(tx, brainId, userId)
    if (former === 'manager') return
    await upsertMember(tx, { brainId, organizationId, userId, role: 'manager', addedBy: by.id }, now)
    await checkNumbers(tx, brainId)
    await markTakenOver(tx, brainId, userId, now)
    const [before, after] = [
      { userId, role: former ?? null },
      { userId, role: 'manager' },
    ]
    await audit(tx, { brain, by, action: 'brain.taken_over', before, after }, now)
  })

/** A page of an organization's restricted Brains, for its owners. */
export const listRestrictedPage = async (
  { db }: Pick<Deps, 'db'>,
  reader: { organizationId: string; userId: string },
  page: PageRequest<string>,
): Promise<RestrictedBrain[]> =>
  (await selectRestrictedBrains(db, reader, page)).map(({ restrictedAt, ...row }) => ({
    ...row,
    restrictedAt: restrictedAt.toISOString(),
  }))
