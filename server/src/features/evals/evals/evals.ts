import type { AuditAction } from '@noema/contracts/audit.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type {
  addEvalCases,
  createEval,
  Eval,
  EvalCase,
  EvalDefinition,
  EvalTarget,
  EvalVersion,
  patchEval,
} from '@noema/contracts/evals.ts'
import { maxCases } from '@noema/contracts/evals.ts'
import type { Limits } from '../../../config/config.ts'
import { type Actor, summarizeActor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, notFound } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import { canonicalJson } from '../../../shared/text/json.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db, Queryable, Tx } from '../../../storage/database.ts'
import { holdAccess } from '../../accounts/keys/revoking.ts'
import type { OutputChecks } from '../../agents/agents/output-checks.ts'
import { selectBrainById } from '../../kernel/brains/brain-queries.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import { endPage, type List, openPage, type PageQuery, readListPage } from '../../platform/cursors/cursors.ts'
import { requestAgain } from '../../writing/change-evals/change-eval-queries.ts'
import { archivedEval, checkDefinition, checkIds, checkPatterns, checkSize, findTarget } from './definitions.ts'
import {
  archiveRow,
  countEvals,
  type EvalKey,
  type EvalRow,
  insertVersion,
  lockEvals,
  measureCases,
  selectCases,
  selectEval,
  selectEvals,
  selectVersions,
  type VersionRow,
  writeCases,
} from './eval-queries.ts'

// Evals and their versions. A version is written once. A case is a row with the interval of versions that it is in, so that a change of
// one case writes one row.

type Deps = {
  db: Db
  clock: Clock
  limits: Pick<Limits, 'evals'>
  outputChecks: Pick<OutputChecks, 'checkSchema' | 'checkPattern'>
}

/** The caller, and the person from whom some Brains are hidden. */
export type Acting = { organizationId: string; by: Actor; viewer: Viewer }

const toView = ({ id, version, cases, definition, createdAt, updatedAt, updatedBy, archivedAt }: EvalRow): Eval => ({
  ...{ id, version, cases },
  ...definition,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
  updatedBy: summarizeActor(updatedBy),
  archivedAt: archivedAt?.toISOString() ?? null,
})

const toVersionView = ({ version, definition, cases, createdAt, createdBy }: VersionRow): EvalVersion => ({
  ...{ version, cases },
  ...definition,
  createdAt: createdAt.toISOString(),
  createdBy: summarizeActor(createdBy),
})

/** The refusal of an id that no eval of the organization has. */
export const noSuchEval = (id: string) => notFound(`This organization has no eval ${JSON.stringify(id)}.`)

/** An eval; throws where it is not there. */
export const findEval = async (
  db: Queryable,
  key: EvalKey,
  options: Parameters<typeof selectEval>[2] = {},
): Promise<EvalRow> => {
  const row = await selectEval(db, key, options)
  if (!row) throw noSuchEval(key.id)
  return row
}

/** An eval as answers show it. */
export const readEval = async (db: Queryable, key: EvalKey): Promise<Eval> => toView(await findEval(db, key))

/** Refuses an eval before it is inserted, and a version of one after that, once it is known that there is one. */
const checkCaps = async (tx: Tx, organizationId: string, { limits }: Deps, isNew: boolean): Promise<void> => {
  await lockEvals(tx, organizationId)
  const { max, maxVersions } = limits.evals
  const count = await countEvals(tx, organizationId)
  if (isNew && count.evals >= max)
    throw conflict(`This organization has ${max} evals, which is the maximum. Archive one first.`, {
      code: 'too_many_evals',
    })
  if (count.versions + (isNew ? 1 : 0) > maxVersions)
    throw conflict(`This organization has ${maxVersions} versions of evals, which is the maximum.`, {
      code: 'too_many_eval_versions',
    })
}

type CaseChange = { cases: readonly EvalCase[]; remove: readonly string[]; keeps: boolean }
type Writing = EvalKey & { definition: EvalDefinition; version: number; by: Actor; now: Date }

/** Writes a version; false if it would be like the one before. */
const write = async (tx: Tx, writing: Writing, change: CaseChange, isOther: boolean): Promise<boolean> => {
  const changed = await writeCases(tx, writing, change)
  if (changed === 0 && !isOther) return false
  const measured = await measureCases(tx, writing)
  checkSize(writing.definition, measured, maxCases)
  await insertVersion(tx, { ...writing, cases: measured.cases })
  return true
}

const audit = (tx: Tx, { organizationId, by }: Acting, { row, action, at }: Audited): Promise<void> => {
  const { id, version, definition, cases } = row
  const { name, target } = definition
  const after = action === 'eval.archived' ? {} : { after: { version, name, target, cases } }
  // An entry that names a Brain is as hidden as the Brain.
  const brain = 'brainId' in target ? { brain: target.brain } : {}
  return addAudit(tx, { organizationId, by, action, target: { type: 'eval', id, name, ...brain }, ...after }, at)
}
type Audited = { row: EvalRow; action: Extract<AuditAction, `eval.${string}`>; at: Date }

/** Records a version in the transaction that makes it. */
type Note = (tx: Tx, id: string, version: number) => Promise<void>

/** Makes an eval. */
export const makeEval = async (
  deps: Deps,
  acting: Acting,
  given: BodyOutput<typeof createEval>,
  note?: Note,
): Promise<Eval> => {
  const { organizationId, by, viewer } = acting
  await checkPatterns(deps.outputChecks, organizationId, given.graders)
  return deps.db.transaction().execute(async (tx) => {
    await holdAccess(tx, by, { organizationId })
    const place = { db: tx, organizationId, viewer }
    const target = await findTarget(place, given.target)
    const definition = { name: given.name, target, graders: given.graders }
    await checkDefinition(place, definition)
    await checkCaps(tx, organizationId, deps, true)
    const now = deps.clock.now()
    const id = newId('evl', now)
    const writing = { organizationId, id, definition, version: 1, by, now }
    await write(tx, writing, { cases: given.cases, remove: [], keeps: false }, true)
    const row = await findEval(tx, { organizationId, id })
    await note?.(tx, id, 1)
    await audit(tx, acting, { row, action: 'eval.created', at: now })
    return toView(row)
  })
}

/** Requests an eval again for the pending changes that it was run for: it has another version. */
const requestForChanges = async (
  tx: Tx,
  organizationId: string,
  { id, targets, now }: { id: string; targets: readonly EvalTarget[]; now: Date },
): Promise<void> => {
  const brainIds = new Set(targets.flatMap((target) => ('brainId' in target ? target.brainId : [])))
  for (const brainId of brainIds) {
    const brain = await selectBrainById(tx, organizationId, brainId)
    if (brain) await requestAgain(tx, { brainId: brain.brainId, evalId: id, now })
  }
}

type Change = Pick<BodyOutput<typeof patchEval>, 'name' | 'target' | 'graders' | 'version'> & { cases: CaseChange }

/** Makes the next version of an eval; a change of nothing makes none. */
const change = (deps: Deps, acting: Acting, id: string, given: Change, note?: Note): Promise<Eval> =>
  deps.db.transaction().execute(async (tx) => {
    const { organizationId, by, viewer } = acting
    await holdAccess(tx, by, { organizationId })
    const row = await findEval(tx, { organizationId, id }, { lock: 'change' })
    if (row.archivedAt !== null) throw archivedEval()
    if (given.version !== undefined && given.version !== row.version)
      throw conflict(`This eval has version ${row.version} by now. Read it again, and repeat the change.`, {
        code: 'stale_version',
      })
    const { name = row.definition.name, graders = row.definition.graders } = given
    const place = { db: tx, organizationId, viewer }
    const target = given.target ? await findTarget(place, given.target) : row.definition.target
    const definition = { name, target, graders }
    const isOther = canonicalJson(definition) !== canonicalJson(row.definition)
    if (isOther) await checkDefinition(place, definition)
    const now = deps.clock.now()
    const writing = { organizationId, id, definition, version: row.version + 1, by, now }
    if (!(await write(tx, writing, given.cases, isOther))) return toView(row)
    await checkCaps(tx, organizationId, deps, false)
    await requestForChanges(tx, organizationId, { id, targets: [row.definition.target, target], now })
    const changed = await findEval(tx, { organizationId, id })
    await note?.(tx, id, changed.version)
    await audit(tx, acting, { row: changed, action: 'eval.changed', at: now })
    return toView(changed)
  })

/** Changes the definition of an eval, or all of its cases. */
export const changeEval = async (
  deps: Deps,
  acting: Acting & { id: string },
  { cases, ...given }: BodyOutput<typeof patchEval>,
  note?: Note,
): Promise<Eval> => {
  if (given.graders) await checkPatterns(deps.outputChecks, acting.organizationId, given.graders)
  const changed = { ...given, cases: { cases: cases ?? [], remove: [], keeps: cases === undefined } }
  return change(deps, acting, acting.id, changed, note)
}

/** Adds, replaces and leaves out cases of an eval. */
export const changeCases = async (
  deps: Deps,
  acting: Acting & { id: string },
  { cases, remove, version }: BodyOutput<typeof addEvalCases>,
): Promise<Eval> => {
  checkIds(cases)
  const named = new Set(cases.map(({ id }) => id))
  const left = remove.filter((id) => !named.has(id))
  return change(deps, acting, acting.id, { version, cases: { cases, remove: left, keeps: true } })
}

/** Archives an eval; one that is archived stays as it is. */
export const archiveEval = (deps: Deps, acting: Acting & { id: string }): Promise<Eval> =>
  deps.db.transaction().execute(async (tx) => {
    const row = await findEval(tx, acting, { lock: 'change' })
    if (row.archivedAt !== null) return toView(row)
    const at = deps.clock.now()
    await archiveRow(tx, acting, at)
    await audit(tx, acting, { row, action: 'eval.archived', at })
    return toView({ ...row, archivedAt: at })
  })

/** A page of an organization's evals. It ends early where they are long. */
export const listEvalPage = async (
  { db }: Pick<Deps, 'db'>,
  organizationId: string,
  { list, query, filter }: { list: List<string>; query: PageQuery; filter: Parameters<typeof selectEvals>[2] },
) => {
  const page = await openPage(list, query)
  const read = await selectEvals(db, organizationId, filter, { ...query, after: page.after })
  const evals = read.rows.map(toView)
  return { evals, cursor: endPage(page, evals.at(-1)?.id), hasMore: read.found > evals.length }
}

/** A page of an eval's versions. */
export const listVersionPage = async (
  { db }: Pick<Deps, 'db'>,
  key: EvalKey & { viewer: Viewer },
  { list, query }: { list: List<number>; query: PageQuery },
) => {
  await findEval(db, key)
  const page = await openPage(list, query)
  const read = await selectVersions(db, key, { ...query, after: page.after })
  const versions = read.rows.map(toVersionView)
  return { versions, cursor: endPage(page, versions.at(-1)?.version), hasMore: read.found > versions.length }
}

/** A page of the cases of an eval, in its newest version or another. */
export const listCasePage = async (
  { db }: Pick<Deps, 'db'>,
  key: EvalKey & { viewer: Viewer },
  { list, query }: { list: List<string>; query: PageQuery & { version?: number | undefined } },
) => {
  const { version } = await findEval(db, key)
  const read = { ...key, version: query.version ?? version }
  const { items, ...page } = await readListPage(
    list,
    query,
    (requested) => selectCases(db, read, requested),
    ({ id }) => id,
  )
  return { cases: items, ...page }
}
