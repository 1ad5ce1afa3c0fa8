import { isDeepStrictEqual } from 'node:util'
import type { Operation } from '@noema/contracts/batch.ts'
import { newId } from '../../../shared/ids.ts'
import type { Queryable } from '../../../storage/database.ts'
import { resolveContent, type ToId } from '../../kernel/content-parts/content-parts.ts'
import type { LoadBudget } from '../../kernel/versioning/load-budget.ts'
import type { Inverse, Need, Needs, OperationEffect, OperationOf, Reverted } from '../../kernel/versioning/types.ts'
import { applyStatementOperation, retractAbout, type StatementWrites } from './apply.ts'
import { restoreStatement, sendStatement, statementContentKeys, statementParts } from './content.ts'
import { statementCodec } from './export-codec.ts'
import { toIdentity } from './identity.ts'
import {
  type StatementVersion,
  selectLiveIdentities,
  selectRetractedBy,
  selectStatements,
  statementTable,
} from './statement-queries.ts'

type StatementOperation = OperationOf<'statement'>

const resolveStatement = (
  operation: Extract<Operation, { op: `statement.${string}` }>,
  toId: ToId,
  now: Date,
): StatementOperation =>
  operation.op === 'statement.assert'
    ? { ...resolveContent(statementParts, operation, toId), id: operation.id ?? newId('stm', now) }
    : { ...operation, id: toId(operation.id) }

/** The record that a statement has as its object. */
const listObjects = (operation: StatementOperation): string[] =>
  operation.op === 'statement.assert' && 'record' in operation.object ? [operation.object.record.id] : []

const needStatement = (operation: StatementOperation, needs: Needs): void => {
  const { ids, keys } = needs.statement
  ids.add(operation.id)
  if (operation.op === 'statement.retract') return
  keys.add(toIdentity(operation))
  needs.record.ids.add(operation.subject.id)
  for (const id of listObjects(operation)) needs.record.referred.add(id)
}

const loadStatements = async (
  db: Queryable,
  brainId: number,
  { statement }: StatementWrites,
  { ids, keys, about, budget }: Need & { budget: LoadBudget },
): Promise<void> => {
  const requested = { ids: [...ids], identities: [...keys], subjects: [...about] }
  for (const version of await selectStatements(db, brainId, requested, budget)) statement.add(version, version.identity)
}

/** A statement that a change retracted is asserted as a new one: the old one stays retracted. */
const assertAgain = ({ base, newest, isHeld, stateVersion }: Reverted<StatementVersion>): Inverse => {
  // Another writer has asserted it again already, perhaps with other details.
  if (isHeld) return {}
  const before = base ?? (newest && newest.fromState < stateVersion ? newest : undefined)
  return before ? { rests: [{ op: 'statement.assert', ...sendStatement(before.content) }] } : {}
}

/**
 * Retracts a statement that the change made; restores the earlier version of one that existed, if no one else wrote to it
 * since.
 */
const invertStatement = (reverted: Reverted<StatementVersion>): Inverse => {
  const { base, left, newest, change, stateVersion, refuse } = reverted
  if (!newest) return {}
  if (newest.toState !== null) return newest.toState === stateVersion ? assertAgain(reverted) : {}
  if (left?.fromState !== stateVersion) return {}
  // It may be as the change left it after others wrote to it and were reverted.
  if (!isDeepStrictEqual(restoreStatement(newest.content), restoreStatement(left.content))) return refuse()
  if (base) return { rests: [{ op: 'statement.assert', ...restoreStatement(base.content) }] }
  return { ends: [{ op: 'statement.retract', id: newest.id, reason: `Change ${change} was reverted.` }] }
}

/** Statements as a kind of content. */
export const statements = {
  type: 'statement',
  table: statementTable,
  contentKeys: statementContentKeys,
  operations: { 'statement.assert': 'adds', 'statement.retract': 'ends' } as const satisfies Record<
    StatementOperation['op'],
    OperationEffect
  >,
  exportCodec: statementCodec,
  liveKey: ({ identity }: StatementVersion) => identity,
  resolve: resolveStatement,
  need: needStatement,
  load: loadStatements,
  apply: applyStatementOperation,
  references: listObjects,
  endAbout: retractAbout,
  detail: ({ content, version }: StatementVersion) => ({ ...content, version }),
  stillFits: () => false,
  invert: invertStatement,
  selectHeldKeys: selectLiveIdentities,
  selectEndedAlong: selectRetractedBy,
} as const
