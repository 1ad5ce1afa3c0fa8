import { type RawBuilder, sql } from 'kysely'
import type { RunPrepared, Tx } from '../../../storage/database.ts'
import {
  type BoundStatement,
  defineStatement,
  runStatement,
  type Statement,
  toBound,
} from '../../../storage/statements.ts'
import type { BrainCounts } from '../../kernel/counts/counts.ts'
import { keepsLinks, type LockWait } from '../../kernel/locks/lock-queries.ts'
import { insertEvents } from '../../kernel/stream/event-queries.ts'
import { positionEvents } from '../../kernel/stream/stream.ts'
import type { RowChanges } from '../../kernel/versioning/pending-rows.ts'
import { type Answers, insertMade } from '../../platform/idempotency/idempotency.ts'
import { requestWithCommit } from '../change-evals/change-eval-queries.ts'
import { insertChanges, updateChanges } from './change-row-queries.ts'
import type { CommitBatch } from './commit-batch.ts'
import { toRouted } from './divided-commit-queries.ts'

// A batch is committed by one statement: it moves the Brain on from where the batch found it, ends rows and inserts rows.

type Move = {
  [Name in 'brainId' | 'foundPosition' | 'foundState' | 'foundSchema' | 'position' | 'state' | 'schema']: number
} & { [Name in 'events' | 'writes' | 'bytes' | 'records' | 'statements' | 'documents' | 'pendingChanges']: number } & {
  mode: string
  availability: string
  reviewRules: string
  today: string
  lastWriteAt: string | null
  lockWait: LockWait
}

/**
 * Moves a Brain on. If it is not as the batch found it, because another node wrote or its settings changed, no row moves.
 * `brief`: limits the wait for the Brain's row, unless its transaction has locked that.
 */
const moveFrom = (move: Omit<Move, 'lockWait'>, brief: RawBuilder<unknown>) => sql<object>`
    update brains set position = ${move.position}, state_version = ${move.state}, schema_version = ${move.schema},
      writes_day = ${move.today}, bytes_day = ${move.today},
      writes_today = ${move.writes} + case when writes_day = ${move.today} then writes_today else 0 end,
      bytes_today = ${move.bytes} + case when bytes_day = ${move.today} then bytes_today else 0 end,
      records_count = records_count + ${move.records}::bigint,
      statements_count = statements_count + ${move.statements}::bigint,
      documents_count = documents_count + ${move.documents}::bigint,
      pending_count = pending_count + ${move.pendingChanges}::bigint,
      counted_events = counted_events + ${move.events}::bigint,
      last_write_at = coalesce(${move.lastWriteAt}::timestamptz, last_write_at)
    ${brief}
    where brain_id = ${move.brainId} and position = ${move.foundPosition} and state_version = ${move.foundState}
      and schema_version = ${move.foundSchema} and mode = ${move.mode} and availability = ${move.availability}
      and review_rules = ${move.reviewRules}::jsonb and deleted_at is null
    returning brain_id`

const moveLocked = defineStatement<Omit<Move, 'lockWait'>, object>((move) => moveFrom(move, sql``))

/** The text of the statement that moves a Brain which is locked or locked by it. */
export const { text: moveText } = moveLocked({
  ...{ brainId: 0, foundPosition: 0, foundState: 0, foundSchema: 0, position: 0, state: 0, schema: 0 },
  ...{ events: 0, writes: 0, bytes: 0, records: 0, statements: 0, documents: 0, pendingChanges: 0 },
  ...{ mode: '', availability: '', reviewRules: '', today: '', lastWriteAt: null },
})

const moveUnlocked = defineStatement<Move, object>((move) =>
  moveFrom(
    move,
    sql`from (select ${keepsLinks}, set_config('lock_timeout', ${move.lockWait}::integer || 'ms', true)) as brief`,
  ),
)

export const moveBrain = (batch: CommitBatch, lockWait: LockWait | undefined): BoundStatement<object> => {
  const { brain, now, spent, events, stateVersion, content } = batch
  const { brainId, mode, availability, today } = brain
  const { record, statement, document } = content
  const added: BrainCounts = {
    records: record.added,
    statements: statement.added,
    documents: document.added,
    pendingChanges: batch.addedPending,
  }
  const move = {
    ...{ brainId, mode, availability, today, ...spent, ...added },
    ...{ foundPosition: brain.position, foundState: brain.stateVersion, foundSchema: brain.schemaVersion },
    ...{ position: brain.position + events.length, state: stateVersion, schema: content.schema.version },
    events: events.length,
    reviewRules: JSON.stringify(brain.reviewRules),
    lastWriteAt: stateVersion > brain.stateVersion ? now.toISOString() : null,
  }
  return lockWait === undefined ? moveLocked(move) : moveUnlocked({ ...move, lockWait })
}

/** `ends`: rows that are no longer current, so it runs before the inserts, which make others current. */
type Part = { statement: BoundStatement<object>; ends: boolean }

/** The rows that a commit writes besides the Brain. `isDivided`: the tables are on several servers. */
export type Committing = { changes: readonly RowChanges[]; answers: Answers; isDivided?: boolean }

/** The parts that end rows, and then the others. */
export const toParts = (batch: CommitBatch, { changes, answers, isDivided = false }: Committing): Part[] => {
  const { brain, now, madeChanges, updatedChanges, events, statements } = batch
  const { brainId } = brain
  const at = now.toISOString()
  const ends = changes.flatMap(({ ended, statements: { end } }) =>
    end && ended.length > 0 ? end(brainId, ended, isDivided) : [],
  )
  const inserts: Statement[] = changes.flatMap(({ made, statements }) =>
    made.length > 0 ? statements.insert(brainId, made) : [],
  )
  if (madeChanges.size > 0) inserts.push(insertChanges(brainId, [...madeChanges.values()]))
  if (updatedChanges.size > 0) inserts.push(updateChanges(brainId, [...updatedChanges.values()]))
  const evalId = brain.reviewRules.requireEval
  if (evalId !== undefined) {
    const changeIds = [...madeChanges.values(), ...updatedChanges.values()].flatMap(({ id, decision }) =>
      decision === 'pending' ? id : [],
    )
    if (changeIds.length > 0) inserts.push(requestWithCommit({ brainId, evalId, changeIds, at }))
  }
  if (answers.made.length > 0) inserts.push(insertMade(brainId, at, answers))
  if (events.length > 0) inserts.push(insertEvents(brainId, positionEvents(brain, brain.position, at, events)))
  inserts.push(...statements)
  const bind = (statement: Statement) => ('text' in statement ? statement : toBound(statement))
  return [
    ...ends.map((statement) => ({ statement: bind(statement), ends: true })),
    ...inserts.map((statement) => ({ statement: bind(statement), ends: false })),
  ]
}

/**
 * Joins the parts. The Brain is moved first: where that moves no row, the division fails and with it everything else. The parts
 * that end rows run next, as the number of their rows is read. PostgreSQL runs the other parts, which nothing reads, at the end.
 */
const joinTexts = (moved: BoundStatement<object>, parts: readonly Part[]): string => {
  let count = moved.values.length
  const expressions = parts.map(({ statement: { text, values }, ends }, index) => {
    const shift = count
    count += values.length
    const shifted = text.replace(/\$(\d+)/g, (_found, number) => `$${Number(number) + shift}`)
    return `part_${index} as (${shifted}${ends ? ' returning 1' : ''})`
  })
  const ended = parts.flatMap(({ ends }, index) => (ends ? `, (select count(*) from part_${index})` : []))
  return `with moved as (${moved.text}), ${expressions.join(', ')} select 1 / (select count(*) from moved)${ended.join('')}`
}

/** Joined texts by the texts of their parts, one after another: most batches have the same few parts. */
type Joined = { text: string | undefined; next: Map<string, Joined> }
const joined: Joined = { text: undefined, next: new Map() }
const maxJoined = 1_000
let countJoined = 0

const findJoined = (statements: readonly BoundStatement<object>[]): Joined => {
  if (countJoined > maxJoined) {
    joined.next.clear()
    countJoined = 0
  }
  let found = joined
  for (const { text } of statements) {
    const next: Joined = found.next.get(text) ?? { text: undefined, next: new Map() }
    if (!found.next.has(text)) countJoined++
    found.next.set(text, next)
    found = next
  }
  return found
}

const join = (moved: BoundStatement<object>, parts: readonly Part[]): BoundStatement<object> => {
  const statements = [moved, ...parts.map(({ statement }) => statement)]
  const found = findJoined(statements)
  found.text ??= joinTexts(moved, parts)
  return { text: found.text, values: statements.flatMap(({ values }) => values), isShort: false }
}

/** Most parts of the statement: an ordinary batch has fewer. */
const maxParts = 12

/** The statements that commit a batch to divided tables, one after another under the lock; the first moves the Brain. */
const toCommitStatements = (batch: CommitBatch, committing: Committing): BoundStatement<object>[] => {
  const parts = toParts(batch, { ...committing, isDivided: true })
  return parts.length === 0 ? [] : [moveBrain(batch, undefined), ...parts.map(({ statement }) => toRouted(statement))]
}

/**
 * The statement that commits a batch; undefined where the batch changed nothing. `before` holds the parts of a large batch
 * that run as statements of their own ahead of it, so that none outlasts the time limit of a statement.
 */
export const toCommitStatement = (
  batch: CommitBatch,
  { lockWait, ...committing }: Committing & { lockWait?: LockWait },
): { before: BoundStatement<object>[]; statement: BoundStatement<object> } | undefined => {
  const parts = toParts(batch, committing)
  if (parts.length === 0) return undefined
  const before = parts.splice(0, Math.max(0, parts.length - maxParts)).map(({ statement }) => statement)
  return { before, statement: join(moveBrain(batch, lockWait), parts) }
}

/** Writes a batch to divided tables: one server runs each statement. */
const writeDivided = async (tx: Tx, batch: CommitBatch, committing: Committing): Promise<void> => {
  for (const [index, statement] of toCommitStatements(batch, committing).entries()) {
    const rows = await runStatement(tx, statement)
    if (index === 0 && rows.length === 0) throw new Error('The Brain moved while it was locked.')
  }
}

/** Writes a batch under the lock. */
export const writeLocked = async (
  tx: Tx,
  { prepared, isDivided }: { prepared: RunPrepared; isDivided: boolean },
  batch: CommitBatch,
  committing: Committing,
): Promise<void> => {
  if (isDivided) return writeDivided(tx, batch, committing)
  const commit = toCommitStatement(batch, committing)
  for (const part of commit?.before ?? []) await runStatement(tx, part)
  if (commit) await prepared(commit.statement, tx)
}
