import type { AuditAction, AuditEntry } from '@noema/contracts/audit.ts'
import { type Actor, summarizeActor } from '../../../shared/actor.ts'
import { newId } from '../../../shared/ids.ts'
import type { Db, Queryable } from '../../../storage/database.ts'
import type { PageRequest } from '../cursors/cursors.ts'
import { insertEntry, selectEntries } from './queries.ts'

// The audit log: who did what to keys, members, Brains, webhooks, agents and settings of an organization. Each operation records
// its act in its own transaction, so that there is an entry if it was done, and only then.

type Act = {
  organizationId: string
  by: Actor
  action: AuditAction
  target: AuditEntry['target']
  /** The changed values, before and after. Never a secret. */
  before?: Readonly<Record<string, unknown>>
  after?: Readonly<Record<string, unknown>>
}

/** JSON has no Date and no undefined. */
const toPlain = (values: Act['before']): AuditEntry['before'] =>
  values === undefined ? undefined : JSON.parse(JSON.stringify(values))

/** Records an act, in its transaction. */
export const addAudit = async (tx: Queryable, { by, before, after, ...act }: Act, at: Date): Promise<void> => {
  const changed = {
    ...(before === undefined ? {} : { before: toPlain(before) }),
    ...(after === undefined ? {} : { after: toPlain(after) }),
  }
  await insertEntry(tx, { ...act, ...changed, id: newId('aud', at), at, actor: by })
}

/** Records an act with those of its values that differ; nothing if none does. */
export const addAuditOfChange = async (
  tx: Queryable,
  { before = {}, after = {}, ...act }: Act,
  at: Date,
): Promise<void> => {
  const names = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  if (names.length === 0) return
  const pick = (values: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(names.map((name) => [name, values[name] ?? null]))
  await addAudit(tx, { ...act, before: pick(before), after: pick(after) }, at)
}

/** A page of the audit log of an organization. */
export const listAuditPage = async (
  db: Db,
  filter: Parameters<typeof selectEntries>[1],
  page: PageRequest<string>,
): Promise<AuditEntry[]> =>
  (await selectEntries(db, filter, page)).map(({ at, actor, before, after, ...entry }) => ({
    ...entry,
    at: at.toISOString(),
    actor: summarizeActor(actor),
    ...(before === null ? {} : { before }),
    ...(after === null ? {} : { after }),
  }))
