import type { AuditAction } from '@noema/contracts/audit.ts'
import { type DerivedPage, maxDerivedPages, type putDerivedPage } from '@noema/contracts/derived-pages.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import { type Actor, summarizeActor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { brainTopic, type Topics } from '../../../shared/concurrency/topics.ts'
import { conflict, invalidArgument, notFound } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db, Queryable, Tx } from '../../../storage/database.ts'
import { holdAccess } from '../../accounts/keys/revoking.ts'
import { selectLiveAgents } from '../../agents/agents/agent-queries.ts'
import { archivedAgent, findAgent, unknownAgent } from '../../agents/agents/agents.ts'
import { type BrainRow, selectLiveBrain } from '../../kernel/brains/brain-queries.ts'
import { noSuchBrain } from '../../kernel/brains/brains.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { findOpenBrains } from '../../retrieval/corpora/corpora.ts'
import { checkReaders } from '../distillations/check-target.ts'
import {
  countOthers,
  type RewriteRow,
  removePage,
  selectPage,
  selectPages,
  selectRewrites,
  upsertPage,
} from './page-queries.ts'
import type { PageRow } from './types.ts'

// Derived pages are set, read and deleted here; `follow-pages.ts` keeps them up to date.

type Deps = { db: Db; clock: Clock; topics: Pick<Topics, 'publish'> }
type Setting = { brain: BrainRow; documentId: string; by: Actor; viewer: Viewer }

const noSuchPage = (id: string) => notFound(`The document ${JSON.stringify(id)} of this Brain is no derived page.`)

const archivedReason = 'Its agent is archived. Set the page with another agent.'

const toState = (page: PageRow, isPaused: boolean): DerivedPage['state'] => {
  if (isPaused) return 'paused'
  if (page.isRunning) return 'running'
  if (page.change !== null) return 'staged'
  return page.dueAt === null ? 'current' : 'waiting'
}

/** Items that an answer lists. */
const maxSources = 100

const toView = (
  page: PageRow,
  { isLive, rewrites }: { isLive: boolean; rewrites: readonly RewriteRow[] },
): DerivedPage => {
  const { documentId, agentId, question, addresses, runId, change, used } = page
  const paused = isLive ? page.pausedReason : archivedReason
  return {
    ...{ documentId, agentId },
    ...(question === null ? {} : { question }),
    ...(addresses === null ? {} : { addresses }),
    state: toState(page, paused !== null),
    ...(paused === null ? {} : { paused: { reason: paused } }),
    ...{ runId, change },
    sources: used.slice(0, maxSources).map(([type, id, version]) => ({ type, id, version })),
    rewrites: rewrites.map(({ documentId: _, at, ...rest }) => ({ ...rest, at: at.toISOString() })),
    setBy: summarizeActor(page.setBy),
    updatedAt: page.updatedAt.toISOString(),
  }
}

const toViews = async (db: Queryable, brain: BrainRow, rows: readonly PageRow[]): Promise<DerivedPage[]> => {
  const { brainId, organizationId } = brain
  const agentIds = [...new Set(rows.map(({ agentId }) => agentId))]
  const live = new Set(await selectLiveAgents(db, organizationId, agentIds))
  const ids = rows.map(({ documentId }) => documentId)
  const rewrites = Map.groupBy(await selectRewrites(db, brainId, ids), ({ documentId }) => documentId)
  return rows.map((row) => toView(row, { isLive: live.has(row.agentId), rewrites: rewrites.get(row.documentId) ?? [] }))
}

/** A derived page. */
export const readDerivedPage = async (db: Queryable, brain: BrainRow, documentId: string): Promise<DerivedPage> => {
  const row = await selectPage(db, { brainId: brain.brainId, documentId })
  const [view] = row ? await toViews(db, brain, [row]) : []
  if (!view) throw noSuchPage(documentId)
  return view
}

/** A page of the derived pages of a Brain. */
export const listDerivedPagePage = async (
  { db }: Pick<Deps, 'db'>,
  brain: BrainRow,
  page: PageRequest<string>,
): Promise<DerivedPage[]> => toViews(db, brain, await selectPages(db, brain.brainId, page))

/** Refuses an agent that cannot read the Brain, or that reads one that not all readers of this one can read. */
const checkAgent = async (tx: Tx, deps: Deps, { brain, viewer }: Setting, agentId: string): Promise<void> => {
  const { organizationId, brainId } = brain
  const agent = await findAgent(tx, organizationId, agentId, { lock: true, viewer })
  if (!agent) throw unknownAgent(['agentId'], agentId)
  if (agent.archivedAt !== null) throw archivedAgent()
  const ids = agent.definition.brains.map(({ id }) => id)
  if (!ids.includes(brain.id))
    throw invalidArgument(['agentId'], 'This agent does not read this Brain. Add the Brain to it, or name another one.')
  const open = await findOpenBrains({ db: deps.db }, { organizationId, viewer })(ids)
  const sources = [...open.values()].map((one) => one.brainId)
  await checkReaders({ db: tx, clock: deps.clock }, { into: brainId, sources, allowWider: false })
}

const audit = (tx: Tx, { brain, documentId, by }: Omit<Setting, 'viewer'>, action: AuditAction, at: Date) =>
  addAudit(
    tx,
    {
      ...{ organizationId: brain.organizationId, by, action },
      target: { type: 'derived_page', id: documentId, name: documentId, brain: brain.handle },
    },
    at,
  )

/** Sets a derived page, which is written soon. */
export const setDerivedPage = async (
  deps: Deps,
  setting: Setting,
  given: BodyOutput<typeof putDerivedPage>,
): Promise<DerivedPage> => {
  const { brain, documentId, by } = setting
  const { brainId, organizationId, handle } = brain
  await deps.db.transaction().execute(async (tx) => {
    await holdAccess(tx, by, { organizationId })
    await checkAgent(tx, deps, setting, given.agentId)
    const now = deps.clock.now()
    const live = await selectLiveBrain(tx, brainId)
    if (!live) throw noSuchBrain(handle)
    if ((await countOthers(tx, { brainId, documentId })) >= maxDerivedPages)
      throw conflict(`This Brain has ${maxDerivedPages} derived pages, which is the maximum. Delete one first.`, {
        code: 'too_many_derived_pages',
      })
    await upsertPage(tx, {
      ...{ brainId, documentId, id: newId('drv', now), agentId: given.agentId, setBy: by, now },
      ...{ question: given.question ?? null, addresses: given.addresses ?? null, position: live.position },
    })
    await audit(tx, setting, 'derived_page.stored', now)
  })
  deps.topics.publish(brainTopic(brainId))
  return readDerivedPage(deps.db, brain, documentId)
}

/** Ends the rewrites of a document. */
export const deleteDerivedPage = (deps: Deps, deleting: Omit<Setting, 'viewer'>): Promise<void> =>
  deps.db.transaction().execute(async (tx) => {
    const { brain, documentId } = deleting
    if (!(await removePage(tx, { brainId: brain.brainId, documentId }))) throw noSuchPage(documentId)
    await audit(tx, deleting, 'derived_page.deleted', deps.clock.now())
  })
