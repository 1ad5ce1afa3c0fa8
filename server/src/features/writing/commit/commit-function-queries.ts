import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Log } from '../../../shared/log.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { lockKey } from '../../../storage/migrate.ts'
import { toArrayText } from '../../../storage/sent-values.ts'
import { type BoundStatement, toBound } from '../../../storage/statements.ts'
import type { LockWait } from '../../kernel/locks/lock-queries.ts'
import { insertEvents } from '../../kernel/stream/event-queries.ts'
import { contentKinds } from '../../knowledge/content/content.ts'
import { insertEntries } from '../../knowledge/field-indexes/field-index-queries.ts'
import { linkStatements } from '../../knowledge/records/link-rows-queries.ts'
import { upsertEmerged } from '../../knowledge/schema/schema-queries.ts'
import { insertMade } from '../../platform/idempotency/idempotency.ts'
import { insertChanges } from './change-row-queries.ts'
import type { CommitBatch } from './commit-batch.ts'
import { type Committing, moveBrain, moveText, toParts } from './commit-statement-queries.ts'
import { findOutside } from './divided-commit-queries.ts'

// A commit of a few rows to divided tables calls a function on the server that has the Brain. The function is made of the texts of the
// one statement, and writes each row by a separate statement. Citus caches the plans of those, but plans an insert of rows from arrays
// for every shard at each execution. Its text is derived once, when a node starts, and its name depends on it, so nodes of
// several versions each have their own.

/** The parts that the function writes, those that end rows first. A batch with others is committed under the lock. */
const listParts = (): string[] => {
  const tables = [...contentKinds.map(({ table }) => table.rows), linkStatements]
  return [
    ...tables.flatMap(({ end }) => end?.(0, [], true) ?? []),
    ...tables.flatMap(({ insert }) => insert(0, [])),
    upsertEmerged(0, []),
    insertEntries(0, []),
    insertChanges(0, []),
    insertMade(0, '', { given: new Map(), made: [] }),
    insertEvents(0, []),
  ].map((statement) => toBound(statement).text)
}

/** Puts expressions in place of a statement's parameters. The Brain's number and its organization are variables of the function. */
const bind = (text: string, toValue: (number: number) => string): string => {
  const [, ofCondition, ofRow] = /\bbrain_id = \$(\d+)|\bselect \$(\d+)::bigint,/.exec(text) ?? []
  return text
    .replace(/\$(\d+)/g, (_found, number) =>
      number === (ofRow ?? ofCondition) ? 'brain_number' : toValue(Number(number)),
    )
    .replace(/\(select organization_id from brains where [^)]*\)/, 'organization')
    .replace(/array\(select distinct \w+ from unnest\(([^)]*)\) as \w+ order by \w+\)/, 'noema_distinct($1)')
}

const beginsInsert = /^\s*insert into ([^(]+)\(([^)]*)\)\s*select /

/** An insert of rows, one by one. */
const loopInsert = (text: string): string => {
  const [begin = '', table, columns = ''] = beginsInsert.exec(text) ?? []
  const conflict = findOutside(text, 'on conflict', begin.length)
  const end = conflict === -1 ? text.length : conflict
  const values = columns.split(',').map((column) => `made.${column.trim()}`)
  return `for made in select * from (select ${text.slice(begin.length, end)}) as made (${columns}) loop
      insert into ${table} (${columns}) values (${values.join(', ')}) ${text.slice(end)};
    end loop;`
}

/** An update from rows, one by one: those are `as ended (…)` or `as row (…)`. */
const loopUpdate = (text: string): string => {
  const [from, where] = [findOutside(text, 'from', 0), findOutside(text, 'where', 0)]
  const rows = text.slice(from + 'from'.length, where)
  const [, name] = /\bas (\w+) \([^()]*\)\s*$/.exec(rows) ?? []
  return `for ${name} in select * from ${rows} loop
      ${text.slice(0, from)} ${text.slice(where)};
    end loop;`
}

type Part = { text: string; types: readonly string[] }

/** The function's body. The values of each part are texts in an array; a part that a commit does not have is null. */
export const toBody = (move: string, parts: readonly Part[]): string => {
  const loops = parts.map(({ text, types }, at) => {
    const bound = bind(text, (number) => `(part_${at}[${number}])::${types[number - 1]}`)
    return `if part_${at} is not null then
    ${beginsInsert.test(bound) ? loopInsert(bound) : loopUpdate(bound)}
  end if;`
  })
  const moving = bind(move, (number) => `move_${number}`)
  return `
#variable_conflict use_column
declare made record; ended record; row record; organization text;
begin
  perform set_config('lock_timeout', lock_wait || 'ms', true);
  ${moving.replace(/returning .*$/, 'returning organization_id into organization')};
  if not found then raise exception 'The Brain is not as the batch found it.'; end if;
  ${loops.join('\n  ')}
end`
}

const run = (tx: Tx, text: string) => sql.raw(text).execute(tx)

/** The types of a statement's parameters. */
const readTypes = async (tx: Tx, text: string): Promise<string[]> => {
  await run(tx, `prepare noema_part as ${text}`)
  const { rows } = await sql<{ types: string[] }>`
    select parameter_types::text[] as types from pg_prepared_statements where name = 'noema_part'`.execute(tx)
  await run(tx, 'deallocate noema_part')
  return rows[0]?.types ?? []
}

/** The function that commits, and the place of each part among its arguments. */
export type CommitFunction = { name: string; places: ReadonlyMap<string, number> }

// A kept plan must suit any later content of the tables, so it finds rows by their keys.
const settings = `set enable_seqscan = off set enable_bitmapscan = off`

const createFunction = async (tx: Tx, name: string, texts: readonly string[]): Promise<void> => {
  const moveTypes = await readTypes(tx, moveText)
  const parts: Part[] = []
  for (const text of texts) parts.push({ text, types: await readTypes(tx, text) })
  const given = [
    ...['brain_number bigint', 'lock_wait integer'],
    ...moveTypes.map((type, at) => `move_${at + 1} ${type}`),
    ...parts.map((_part, at) => `part_${at} text[]`),
  ].join(', ')
  await run(
    tx,
    `create or replace function noema_distinct(text[]) returns text[] language sql immutable
    as 'select array(select distinct item from unnest($1) as item order by item)'`,
  )
  await run(
    tx,
    `create function ${name}(${given}) returns void language plpgsql ${settings} as $commit$${toBody(moveText, parts)}$commit$`,
  )
  await sql`select create_distributed_function(oid::regprocedure, 'brain_number', colocate_with => 'brains')
    from pg_proc where proname = ${name}`.execute(tx)
}

/**
 * Finds the function that commits, or creates it on all servers. Undefined if a server is down: then this node commits by
 * transactions of statements.
 */
export const openCommitFunction = async (db: Db, log: Log): Promise<CommitFunction | undefined> => {
  const texts = listParts()
  const name = `noema_commit_${hash(
    'sha256',
    toBody(
      moveText,
      texts.map((text) => ({ text, types: [] })),
    ),
  ).slice(0, 16)}`
  try {
    await db.transaction().execute(async (tx) => {
      // Nodes that start together create it once.
      await sql`select pg_advisory_xact_lock(${lockKey})`.execute(tx)
      const { rows } = await sql`select from pg_proc where proname = ${name}`.execute(tx)
      if (rows.length === 0) await createFunction(tx, name, texts)
    })
  } catch (error) {
    log.warn({ error }, 'the function that commits could not be created, so commits cost more until this node restarts')
    return undefined
  }
  return { name, places: new Map(texts.map((text, at) => [text, at])) }
}

/** The most rows that the function writes for one commit: each is a statement there. */
const maxRows = 50

/** The call that commits a batch; 'nothing' if that changes nothing, undefined if the function cannot write it. */
export const toCommitCall = (
  { name, places }: CommitFunction,
  batch: CommitBatch,
  { lockWait, ...committing }: Committing & { lockWait: LockWait },
): BoundStatement<object> | 'nothing' | undefined => {
  const rows = committing.changes.reduce(
    (sum, { made, ended }) => sum + made.length + ended.length,
    batch.events.length,
  )
  if (rows > maxRows) return undefined
  const parts = toParts(batch, { ...committing, isDivided: true })
  if (parts.length === 0) return 'nothing'
  const arrays: (string | null)[] = Array.from(places, () => null)
  for (const { statement } of parts) {
    const place = places.get(statement.text)
    const array = toArrayText(statement.values)
    if (place === undefined || array === undefined || arrays[place] !== null) return undefined
    arrays[place] = array
  }
  const values = [`${batch.brain.brainId}`, `${lockWait}`, ...moveBrain(batch, undefined).values, ...arrays]
  return { text: `select ${name}(${values.map((_, at) => `$${at + 1}`).join(', ')})`, values, isShort: false }
}
