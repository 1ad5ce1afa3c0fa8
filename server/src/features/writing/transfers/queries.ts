import { sql } from 'kysely'
import type { Tx } from '../../../storage/database.ts'

/** Ends the transaction of an export whose node is stuck: its snapshot keeps the database from cleaning up. */
const maxExportPause = '1min'

/** Ends an import whose lines do not arrive: it keeps the Brain locked. */
const maxImportPause = '2min'

/**
 * Sets an export's transaction up. The node may pause between pages for longer than a transaction usually may. Pages come off an index in their order: of a Brain that was just filled there are no statistics yet, and each page would sort
 * all that is left.
 */
export const prepareExport = (tx: Tx) =>
  sql`select set_config('idle_in_transaction_session_timeout', ${maxExportPause}, true),
    set_config('enable_sort', 'off', true)`.execute(tx)

/** Sets an import's transaction up, whose lines may come slowly. */
export const prepareImport = (tx: Tx) =>
  sql`select set_config('idle_in_transaction_session_timeout', ${maxImportPause}, true)`.execute(tx)

export const beginGroup = (tx: Tx) => sql`savepoint before_group`.execute(tx)
export const undoGroup = (tx: Tx) => sql`rollback to savepoint before_group`.execute(tx)
export const endGroup = (tx: Tx) => sql`release savepoint before_group`.execute(tx)
