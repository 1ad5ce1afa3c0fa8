import { randomInt } from 'node:crypto'
import type { AccessRequest } from '@noema/contracts/access-requests.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, notFound } from '../../../shared/errors.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import type { Mail, Message } from '../../platform/mail/mail.ts'
import { makeCode } from '../invitation-codes/invitation-codes.ts'
import { setTierWithin, type Tier } from '../tiers/tiers.ts'
import { lockRequest, type RequestRow, selectRequest, selectRequestPage, storeDecision } from './request-queries.ts'

// Decisions of administrators about requests for access. An approved person gets a link by email, because the address was not
// confirmed before.

type Deps = { db: Db; clock: Clock; mail: Mail; publicUrl: string }
type Administrator = { userId: string; actor: Actor }

const toRequest = ({ detail, decision, code, ...row }: RequestRow): AccessRequest => ({
  ...row,
  email: detail.email,
  message: detail.message ?? null,
  state: decision ?? 'waiting',
  createdAt: row.createdAt.toISOString(),
  decidedAt: row.decidedAt?.toISOString() ?? null,
  code: code && { ...code, expiresAt: code.expiresAt === null ? null : new Date(code.expiresAt).toISOString() },
})

/** A page of requests for access, optionally of one state. */
export const listAccessRequests = async (
  db: Db,
  state: AccessRequest['state'] | undefined,
  page: PageRequest<string>,
): Promise<AccessRequest[]> => (await selectRequestPage(db, state, page)).map(toRequest)

const codeDays = 30
const day = 86_400_000

// Without letters and digits that look alike, because some people type a link from paper.
const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
const newCode = () => Array.from({ length: 20 }, () => letters[randomInt(letters.length)]).join('')

const approvalEmail = (to: string, publicUrl: string, code: string): Message => ({
  ...{ to, hours: codeDays * 24 },
  subject: 'Your request for access to Noema',
  text: `An administrator has approved your request for access to Noema. Create your account with this link:

${publicUrl}/sign-up?${new URLSearchParams({ code, email: to })}

The link works once, for ${codeDays} days. If you did not ask for access, ignore this message.
`,
})

const tierEmail = (to: string, publicUrl: string): Message => ({
  to,
  subject: 'Your request for access to Noema',
  text: `An administrator of Noema at ${publicUrl} has approved your request for access. Your account already has it. Sign in here:

${publicUrl}/sign-in
`,
})

const refusalEmail = (to: string, publicUrl: string, reason: string): Message => ({
  to,
  subject: 'Your request for access to Noema',
  text: `An administrator of Noema at ${publicUrl} has not approved your request for access. Their reason:

${reason}
`,
})

/** Decides all waiting requests of an address in one transaction, and returns the request. */
const decide = (deps: Deps, id: string, store: (tx: Tx, email: string, waiting: string[]) => Promise<void>) =>
  deps.db.transaction().execute(async (tx) => {
    const found = await lockRequest(tx, id)
    if (!found) throw notFound(`There is no request for access ${JSON.stringify(id)}.`)
    if (!found.waiting.includes(id))
      throw conflict('This request is decided already. Read it again.', { code: 'already_decided' })
    await store(tx, found.email, found.waiting)
    const request = await selectRequest(tx, id)
    if (!request) throw new Error('a request vanished while it was locked')
    return toRequest(request)
  })

/** Sets the tier of an existing account; undefined if there is none. */
const giveTier = async (deps: Deps, tx: Tx, { id, tier, by }: { id: string; tier: Tier; by: Actor }) => {
  const account = (await selectRequest(tx, id))?.account
  if (!account) return undefined
  if (!account.organization)
    throw conflict(
      'An account has this address already, and no organization of its own. Set the tier of one that it owns instead.',
      { code: 'no_organization' },
    )
  await setTierWithin(tx, by, { tenantId: account.organization.id, tier }, deps.clock.now())
  return account
}

/** Approves a request: emails a link with a new code, or sets the tier of the account that the person has by now. */
export const approveRequest = (
  deps: Deps,
  { userId, actor }: Administrator,
  { id, tier }: { id: string; tier: Tier },
): Promise<AccessRequest> =>
  decide(deps, id, async (tx, email, waiting) => {
    const decidedAt = deps.clock.now()
    const decision = { decision: 'approved', decidedAt, decidedBy: userId, tier } as const
    if (await giveTier(deps, tx, { id, tier, by: actor })) {
      await storeDecision(tx, waiting, decision)
      return deps.mail.send(tierEmail(email, deps.publicUrl), tx)
    }
    const code = newCode()
    const expiresAt = new Date(decidedAt.getTime() + codeDays * day).toISOString()
    await makeCode({ ...deps, db: tx }, userId, { code, label: email.slice(0, 200), tier, maxUses: 1, expiresAt })
    await storeDecision(tx, waiting, { ...decision, code })
    await deps.mail.send(approvalEmail(email, deps.publicUrl, code), tx)
  })

/** Refuses a request and, if requested, emails the reason. */
export const refuseRequest = (
  deps: Deps,
  { userId }: Administrator,
  { id, reason, mail }: { id: string; reason: string; mail: boolean },
): Promise<AccessRequest> =>
  decide(deps, id, async (tx, email, waiting) => {
    await storeDecision(tx, waiting, { decision: 'refused', decidedAt: deps.clock.now(), decidedBy: userId, reason })
    if (mail) await deps.mail.send(refusalEmail(email, deps.publicUrl, reason), tx)
  })
