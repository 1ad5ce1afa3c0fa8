import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { changeWebPages, putWebSource, WebSource } from '@noema/contracts/web-sources.ts'
import { defaultRefreshHours } from '@noema/contracts/web-sources.ts'
import type { Limits } from '../../../config/config.ts'
import type { Caps } from '../../../config/tiers.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, invalidArgument, notFound, rateLimited } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import type { Outbound } from '../../../shared/outbound/outbound.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { holdAccess } from '../../accounts/keys/revoking.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { brainList, noSuchBrain } from '../../kernel/brains/brains.ts'
import type { BrainLocks } from '../../kernel/locks/locks.ts'
import { lockUsage } from '../../kernel/usage/usage-queries.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import { type PageQuery, readListPage } from '../../platform/cursors/cursors.ts'
import { findNextRefresh } from './next-fetch.ts'
import { type PageAddress, toPages, toRemovedIds } from './page-urls.ts'
import {
  countSources,
  countWebPages,
  insertPages,
  lockBrain,
  moveFetches,
  removePages,
  removeSource,
  requestFetches,
  type SourceRow,
  selectPages,
  selectSource,
  selectSources,
  upsertSource,
} from './queries.ts'
import { toPageView, toSourceView } from './views.ts'

// Web sources are set up here and refreshed by `refresh-sources.ts`. Each call locks the Brain first, as the change of a refresh does.

type Deps = { db: Db; clock: Clock; brainLocks: BrainLocks; outbound: Pick<Outbound, 'findRefusal'> }
type SettingDeps = Deps & { limits: Pick<Limits, 'webPages'> }

/** A web source of a Brain, and who acts on it. */
type Acting = { brain: BrainRow; by: Actor; source: string }
type Setting = Acting & { caps: Caps }

const noSuchSource = (name: string) => notFound(`This Brain has no web source ${JSON.stringify(name)}.`)

const findSource = async (db: Db | Tx, brain: BrainRow, name: string): Promise<SourceRow> => {
  const row = await selectSource(db, brain.brainId, name)
  if (!row) throw noSuchSource(name)
  return row
}

/** Runs a change of web sources under the Brain's lock, while the access of its author lasts. */
const inBrain = <Result>(deps: Deps, { brain, by }: Acting, change: (tx: Tx) => Promise<Result>): Promise<Result> =>
  deps.brainLocks.run(brain.brainId, (wait) =>
    deps.db.transaction().execute(async (tx) => {
      if (!(await lockBrain(tx, brain.brainId, wait))) throw noSuchBrain(brain.handle)
      await holdAccess(tx, by, brain)
      return change(tx)
    }),
  )

const toAct = ({ brain, by, source }: Acting) => ({
  ...{ organizationId: brain.organizationId, by },
  target: { type: 'web_source', id: source, brain: brain.handle },
})

type Change = {
  refreshHours: number | null | undefined
  add: readonly PageAddress[]
  removes: { ids: readonly string[]; keeps: boolean }
}

const checkHours = (hours: number | null | undefined, { minHours }: Limits['webPages']): void => {
  if (typeof hours === 'number' && hours < minHours)
    throw invalidArgument(['refreshHours'], `Refreshes of a page lie at least ${minHours} hours apart.`)
}

/** Refuses more pages than a source and an account may have. */
const checkCounts = async (tx: Tx, { brain, caps, source }: Setting, row: SourceRow, max: number): Promise<void> => {
  if (row.total > max)
    throw conflict(`A web source has at most ${max} pages. Remove some of ${source}, or make another source.`, {
      code: 'too_many_web_pages',
    })
  if (!caps) return
  await lockUsage(tx, brain.organizationId)
  const count = await countWebPages(tx, brain.organizationId)
  if (count > caps.webPages)
    throw conflict(
      `This account may have ${caps.webPages} web pages, and would have ${count}. Remove some, or ask the operator to raise the limit.`,
      { code: 'web_page_cap' },
    )
}

const applyChange = async (tx: Tx, deps: SettingDeps, setting: Setting, change: Change): Promise<SourceRow> => {
  const { brain, by, source } = setting
  const { brainId } = brain
  const { sources, pages } = deps.limits.webPages
  const now = deps.clock.now()
  const former = await selectSource(tx, brainId, source)
  if (!former && (await countSources(tx, brainId)) >= sources)
    throw conflict(`This Brain has ${sources} web sources, which is the maximum. Delete one first.`, {
      code: 'too_many_web_sources',
    })
  const usual = former ? former.refreshHours : defaultRefreshHours
  const refreshHours = change.refreshHours === undefined ? usual : change.refreshHours
  const place = { brainId, source, now }
  const removed = await removePages(tx, place, change.removes)
  const added = await insertPages(tx, place, change.add)
  const isSame = former?.refreshHours === refreshHours && former.author.id === by.id && former.pausedReason === null
  if (former && isSame && added + removed === 0) return former
  const id = former?.id ?? newId('web', now)
  await upsertSource(tx, { brainId, name: source, id, refreshHours, author: by, now })
  if (former && former.refreshHours !== refreshHours) {
    const nextAt = findNextRefresh({ createdAt: former.createdAt, refreshHours }, now)
    await moveFetches(tx, { ...place, nextAt })
  }
  const row = await findSource(tx, brain, source)
  if (added > 0) await checkCounts(tx, setting, row, pages)
  const before = former && { pages: former.total, refreshHours: former.refreshHours }
  const after = { pages: row.total, added, removed, refreshHours }
  const act = { ...toAct(setting), action: 'web_source.changed' as const }
  await addAudit(tx, { ...act, ...(before ? { before } : {}), after }, now)
  return row
}

const changeSource = async (deps: SettingDeps, setting: Setting, change: Change): Promise<WebSource> => {
  checkHours(change.refreshHours, deps.limits.webPages)
  return toSourceView(await inBrain(deps, setting, (tx) => applyChange(tx, deps, setting, change)))
}

/** Makes a web source, or sets all its pages. */
export const putSource = async (
  deps: SettingDeps,
  setting: Setting,
  { urls, refreshHours }: BodyOutput<typeof putWebSource>,
): Promise<WebSource> => {
  const add = toPages(deps.outbound, urls, ['urls'])
  const ids = add.map(({ documentId }) => documentId)
  return changeSource(deps, setting, { refreshHours, add, removes: { ids, keeps: true } })
}

/** Adds pages to a source, which is made if it does not exist, and removes others. */
export const changePages = async (
  deps: SettingDeps,
  setting: Setting,
  { add: urls, remove, refreshHours }: BodyOutput<typeof changeWebPages>,
): Promise<WebSource> => {
  const add = toPages(deps.outbound, urls, ['add'])
  const named = new Set(add.map(({ documentId }) => documentId))
  const ids = toRemovedIds(remove).filter((id) => !named.has(id))
  if (add.length === 0) await findSource(deps.db, setting.brain, setting.source)
  return changeSource(deps, setting, { refreshHours, add, removes: { ids, keeps: false } })
}

const minRequestSeconds = 60

/** Has all pages of a source fetched soon. A source that is paused goes on with the caller as its author. */
export const refreshSource = async (deps: Deps, acting: Acting): Promise<WebSource> => {
  const { brain, source } = acting
  const row = await inBrain(deps, acting, async (tx) => {
    const now = deps.clock.now()
    const { requestedAt } = await findSource(tx, brain, source)
    const wait = requestedAt ? minRequestSeconds - (now.getTime() - requestedAt.getTime()) / 1000 : 0
    if (wait > 0)
      throw rateLimited('This source is refreshed on request at most once a minute. Try again later.', {
        retryAfterSeconds: Math.ceil(wait),
      })
    await requestFetches(tx, { brainId: brain.brainId, source, now, by: acting.by })
    return findSource(tx, brain, source)
  })
  return toSourceView(row)
}

/** Deletes a web source. Its documents stay. */
export const deleteSource = (deps: Deps, acting: Acting): Promise<void> =>
  inBrain(deps, acting, async (tx) => {
    const { brain, source } = acting
    const former = await selectSource(tx, brain.brainId, source)
    if (!former || !(await removeSource(tx, brain.brainId, source))) throw noSuchSource(source)
    const before = { pages: former.total, refreshHours: former.refreshHours }
    await addAudit(tx, { ...toAct(acting), action: 'web_source.deleted', before }, deps.clock.now())
  })

/** A web source with a page of its web pages. */
export const readSource = async (deps: Pick<Deps, 'db'>, brain: BrainRow, source: string, query: PageQuery) => {
  const row = await findSource(deps.db, brain, source)
  const list = brainList(deps.db, brain, { list: `web-pages:${source}`, start: '' })
  const { items, ...page } = await readListPage(
    list,
    query,
    (requested) => selectPages(deps.db, brain.brainId, source, requested),
    ({ documentId }) => documentId,
  )
  return { webSource: toSourceView(row), pages: items.map(toPageView), ...page }
}

/** A page of the web sources of a Brain. */
export const listSourcePage = async (deps: Pick<Deps, 'db'>, brain: BrainRow, query: PageQuery) => {
  const list = brainList(deps.db, brain, { list: 'web-sources', start: '' })
  const { items, ...page } = await readListPage(
    list,
    query,
    (requested) => selectSources(deps.db, brain.brainId, requested),
    ({ name }) => name,
  )
  return { webSources: items.map(toSourceView), ...page }
}
