import {
  deleteCorpus,
  getCorpus,
  listCorpora,
  putCorpus,
  readCorpusContext,
  searchCorpus,
} from '@noema/contracts/corpora.ts'
import { countMore, toSubject } from '../../access/limits.ts'
import type { ManagerPrincipal } from '../../access/principal.ts'
import {
  deleteCorpusByName,
  findOpenBrains,
  listCorpusPage,
  openCorpus,
  readCorpus,
  storeCorpus,
} from '../../features/retrieval/corpora/corpora.ts'
import { contextOfCorpus, searchInCorpus } from '../../features/retrieval/corpora/read-corpus.ts'
import { forbidden } from '../../shared/errors.ts'
import type { AppDeps } from '../app-deps.ts'
import { defineBinding } from '../binding.ts'
import { listAnswer } from '../list-answer.ts'
import { checkCorpusName } from '../path-arguments.ts'

/** Refuses an app: it was let in to agents, and not to the content of every Brain of its member. */
const refuseApp = (principal: ManagerPrincipal): void => {
  if (principal.kind === 'management' && principal.app)
    throw forbidden('An app does not read the Brains of an organization. Ask one of its agents.')
}

/** The corpus of a call, as its caller may read it. */
const open = async (deps: AppDeps, principal: ManagerPrincipal, name: string) => {
  refuseApp(principal)
  const { organization, viewer } = principal
  const place = { organizationId: organization.id, name: checkCorpusName(name) }
  const corpus = await openCorpus(deps, place, findOpenBrains(deps, { organizationId: organization.id, viewer }))
  const subject = toSubject(principal)
  // A call that reads several Brains counts as one request for each.
  countMore(deps, { subject, organization }, corpus.parts.length - 1)
  return { ...corpus, subject }
}

export const corpusBindings = [
  defineBinding(putCorpus, async (deps, { principal, params, body }) => {
    const { organization, actor, viewer } = principal
    const target = { organizationId: organization.id, name: checkCorpusName(params.name), by: actor, viewer }
    const { corpus, created } = await storeCorpus(deps, target, body)
    return { outcome: created ? 'created' : 'done', data: { corpus } }
  }),
  defineBinding(listCorpora, async (deps, { principal, query }) => {
    const { organization, viewer } = principal
    const list = { scope: deps.listScope(organization.id), list: 'corpora', start: '' }
    return listAnswer(
      'corpora',
      list,
      query,
      (page) => listCorpusPage(deps, { organizationId: organization.id, viewer }, page),
      ({ name }) => name,
    )
  }),
  defineBinding(getCorpus, async (deps, { principal, params }) => {
    const place = { organizationId: principal.organization.id, name: checkCorpusName(params.name) }
    return { data: { corpus: await readCorpus(deps, { ...place, viewer: principal.viewer }) } }
  }),
  defineBinding(deleteCorpus, async (deps, { principal, params }) => {
    const place = { organizationId: principal.organization.id, name: checkCorpusName(params.name) }
    await deleteCorpusByName(deps, { ...place, by: principal.actor })
    return { data: { deleted: true } }
  }),
  defineBinding(searchCorpus, async (deps, { principal, params, body }) => ({
    data: await searchInCorpus(deps, await open(deps, principal, params.name), body),
  })),
  defineBinding(readCorpusContext, async (deps, { principal, params, body }) => ({
    data: await contextOfCorpus(deps, await open(deps, principal, params.name), body),
  })),
]
