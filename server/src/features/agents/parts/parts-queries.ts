import { sql } from 'kysely'
import type { Queryable, Tx } from '../../../storage/database.ts'

/** The run to write to. With a lease, nothing is stored unless that lease is valid. */
export type WrittenRun = { organizationId: string; id: string; lease?: string | undefined }

/** A part as it is stored: its JSON text, and the operation whose end of an attempt withdraws it. */
export type StoredPart = { operationId: string | null; part: string }

const isHeld = ({ organizationId, id, lease }: WrittenRun) =>
  lease === undefined
    ? sql`organization_id = ${organizationId} and id = ${id}`
    : sql`organization_id = ${organizationId} and id = ${id} and lease = ${lease}`

/**
 * Stores parts under the next numbers of their run. This locks the run's row until the transaction ends, so that numbers become
 * visible in their order. False if the lease is lost.
 */
export const insertParts = async (db: Queryable, run: WrittenRun, parts: readonly StoredPart[]): Promise<boolean> => {
  const { rows } = await sql`
    with held as (
      update runs set next_part = next_part + ${parts.length} where ${isHeld(run)}
      returning next_part - ${parts.length} as first)
    insert into run_parts (organization_id, run_id, number, operation_id, part)
    select ${run.organizationId}, ${run.id}, held.first + given.place - 1, given.operation_id, given.part
    from held, unnest(${parts.map(({ operationId }) => operationId)}::text[], ${parts.map(({ part }) => part)}::text[])
      with ordinality as given (operation_id, part, place)
    returning number`.execute(db)
  return rows.length > 0
}

/** Locks the row of a run; false if the lease is lost. */
export const lockRun = async (tx: Tx, run: WrittenRun): Promise<boolean> => {
  const { rows } = await sql`select from runs where ${isHeld(run)} for update`.execute(tx)
  return rows.length > 0
}

/** Deletes the parts of an operation, and answers the number of the first of them, where there was any. */
export const deleteParts = async (tx: Tx, run: WrittenRun, operationId: string): Promise<number | undefined> => {
  const { rows } = await sql<{ from: number | null }>`
    with gone as (
      delete from run_parts where organization_id = ${run.organizationId} and run_id = ${run.id}
        and operation_id = ${operationId} returning number)
    select min(number) as "from" from gone`.execute(tx)
  return rows[0]?.from ?? undefined
}
