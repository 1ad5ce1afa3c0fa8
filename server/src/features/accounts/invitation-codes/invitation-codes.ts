import type { createInvitationCode, InvitationCode } from '@noema/contracts/admin.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, notFound } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import type { Db, Queryable } from '../../../storage/database.ts'
import { type CodeRow, deleteCode, insertCode, selectCodes } from './invitation-code-queries.ts'

// Codes that administrators give out. Signing up with one gives its tier.

const codeView = (row: CodeRow): InvitationCode => ({
  ...row,
  expiresAt: row.expiresAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

/** Every code, the newest first. */
export const listCodes = async (db: Db): Promise<InvitationCode[]> => (await selectCodes(db)).map(codeView)

/** Makes a code. */
export const makeCode = async (
  { db, clock }: { db: Queryable; clock: Clock },
  createdBy: string,
  { code, label, tier, maxUses, expiresAt }: BodyOutput<typeof createInvitationCode>,
): Promise<InvitationCode> => {
  const createdAt = clock.now()
  const id = newId('inv', createdAt)
  const limits = { label: label ?? null, maxUses: maxUses ?? null, expiresAt: expiresAt ?? null }
  const row = await insertCode(db, { id, code, tier, ...limits, createdBy, createdAt })
  if (!row) throw conflict(`There is a code ${JSON.stringify(code)}. Delete it first, or choose another.`)
  return codeView(row)
}

/** Deletes a code. */
export const removeCode = async (db: Db, code: string): Promise<void> => {
  if (!(await deleteCode(db, code))) throw notFound(`There is no code ${JSON.stringify(code)}.`)
}
