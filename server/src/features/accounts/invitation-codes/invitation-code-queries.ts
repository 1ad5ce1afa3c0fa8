import type { InvitationCode } from '@noema/contracts/admin.ts'
import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'

const columns = sql`id, code, label, tier, max_uses as "maxUses", use_count as "useCount", expires_at as "expiresAt",
  created_by as "createdBy", created_at as "createdAt", updated_at as "updatedAt"`

type Times = 'expiresAt' | 'createdAt' | 'updatedAt'
export type CodeRow = Omit<InvitationCode, Times> & { expiresAt: Date | null; createdAt: Date; updatedAt: Date }

export const selectCodes = async (db: Queryable): Promise<CodeRow[]> =>
  (await sql<CodeRow>`select ${columns} from invitation_codes order by id desc`.execute(db)).rows

/** Stores a code. Undefined if it exists. */
export const insertCode = async (
  db: Queryable,
  code: Omit<CodeRow, 'useCount' | 'updatedAt' | 'expiresAt'> & { expiresAt: string | null },
): Promise<CodeRow | undefined> => {
  const { rows } = await sql<CodeRow>`
    insert into invitation_codes (id, code, label, tier, max_uses, expires_at, created_by, created_at, updated_at)
    values (${code.id}, ${code.code}, ${code.label}, ${code.tier}, ${code.maxUses}, ${code.expiresAt}, ${code.createdBy},
      ${code.createdAt}, ${code.createdAt})
    on conflict (code) do nothing returning ${columns}`.execute(db)
  return rows[0]
}

export const deleteCode = async (db: Queryable, code: string): Promise<boolean> => {
  const { rows } = await sql`delete from invitation_codes where code = ${code} returning id`.execute(db)
  return rows.length > 0
}

const isOpen = (now: Date) =>
  sql`(max_uses is null or use_count < max_uses) and (expires_at is null or expires_at > ${now})`

/** True if a code gives a tier now. */
export const isUsable = async (db: Queryable, code: string, now: Date): Promise<boolean> =>
  (await sql`select from invitation_codes where code = ${code} and ${isOpen(now)}`.execute(db)).rows.length > 0

/**
 * Counts one use of a code and returns its tier; undefined if it gives none. Others who use the same code wait until this
 * transaction ends, so that no code exceeds its uses.
 */
export const countUse = async (db: Queryable, code: string, now: Date): Promise<InvitationCode['tier'] | undefined> => {
  const { rows } = await sql<Pick<InvitationCode, 'tier'>>`
    update invitation_codes set use_count = use_count + 1, updated_at = ${now}
    where code = ${code} and ${isOpen(now)} returning tier`.execute(db)
  return rows[0]?.tier
}
