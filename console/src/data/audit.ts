import type { AuditAction, AuditEntry } from '@noema/contracts/audit.ts'
import { infiniteQueryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import type { Member } from './members.ts'
import { paging } from './paging.ts'

// The audit log of an organization, for its owners and admins.

export type AuditFilter = {
  action?: string | undefined
  actor?: string | undefined
  target?: string | undefined
  /** Days, such as 2027-03-01: from the start of the first to the end of the last. */
  from?: string | undefined
  to?: string | undefined
}

const isDay = (text: string | undefined): text is string => text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text)

const startOfDay = (day: string, later = 0): string => {
  const date = new Date(`${day}T00:00:00`)
  date.setDate(date.getDate() + later)
  return date.toISOString()
}

/** The filter of the request. The service refuses an unknown action. */
export const toAuditQuery = ({ action, actor, target, from, to }: AuditFilter) => ({
  order: 'desc' as const,
  // The service's refusal lists the valid actions.
  ...(action !== undefined && { action: action as AuditAction }),
  ...(actor !== undefined && { actor }),
  ...(target !== undefined && { target }),
  ...(isDay(from) && { from: startOfDay(from) }),
  ...(isDay(to) && { to: startOfDay(to, 1) }),
})

/** The entries, newest first. */
export const auditQuery = ({ organization, client }: Session, filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'audit', filter],
    queryFn: ({ pageParam, signal }) =>
      client.audit.list({ ...toAuditQuery(filter), after: pageParam, limit: 100 }, { signal }),
    ...paging,
  })

/** The actor: a member by email address, with the key or session. */
export const describeActor = ({ actor }: AuditEntry, members: readonly Member[]): { name: string; by: string } => {
  const person = actor.userId ?? (actor.type === 'session' ? actor.id : undefined)
  const member = members.find(({ userId }) => userId === person)
  const by = actor.type === 'session' ? '' : `by ${actor.type}`
  if (member) return { name: member.email, by }
  return { name: actor.type === 'system' ? 'the service' : (person ?? actor.id), by }
}

/** The target of the act. */
export const describeTarget = ({ target: { type, id, name, brain } }: AuditEntry): { name: string; sort: string } => ({
  name: name ?? id,
  sort: `${type.replaceAll('_', ' ')}${brain === undefined ? '' : ` in ${brain}`}`,
})
