import { cancelEvalRun, getEvalRun, listEvalResults, listEvalRuns, startEvalRun } from '@noema/contracts/eval-runs.ts'
import {
  addEvalCases,
  createEval,
  deleteEval,
  getEval,
  listEvalCases,
  listEvals,
  listEvalVersions,
  patchEval,
} from '@noema/contracts/evals.ts'
import { deleteRubric, getRubric, listRubrics, listRubricVersions, putRubric } from '@noema/contracts/rubrics.ts'
import type { ManagerPrincipal } from '../../access/principal.ts'
import * as runs from '../../features/evals/eval-runs/eval-runs.ts'
import * as evals from '../../features/evals/evals/evals.ts'
import * as rubrics from '../../features/evals/rubrics/rubrics.ts'
import type { PageRequest } from '../../features/platform/cursors/cursors.ts'
import { defineBinding } from '../binding.ts'
import { type ListPage, listAnswer } from '../list-answer.ts'
import { checkId, checkRubricName } from '../path-arguments.ts'

/** The caller, and the person from whom some Brains are hidden. */
const toActing = ({ organization, actor, viewer }: ManagerPrincipal) => ({
  ...{ organizationId: organization.id, by: actor, viewer },
})

const toTarget = ({ organization }: ManagerPrincipal, id: string) => ({
  ...{ organizationId: organization.id, id: checkId(id) },
})

const definitionBindings = [
  defineBinding(createEval, async (deps, { principal, body }) => ({
    data: { eval: await evals.makeEval(deps, toActing(principal), body) },
  })),
  defineBinding(listEvals, async (deps, { principal, query }) => {
    const { id } = principal.organization
    const archived = query.archived === undefined ? undefined : query.archived === 'true'
    const list = { scope: deps.listScope(id), list: 'evals', start: '' }
    const filter = { archived, viewer: principal.viewer }
    return { data: await evals.listEvalPage(deps, id, { list, query, filter }) }
  }),
  defineBinding(getEval, async (deps, { principal, params }) => ({
    data: { eval: await evals.readEval(deps.db, toTarget(principal, params.id)) },
  })),
  defineBinding(patchEval, async (deps, { principal, params, body }) => ({
    data: { eval: await evals.changeEval(deps, { ...toActing(principal), id: checkId(params.id) }, body) },
  })),
  defineBinding(addEvalCases, async (deps, { principal, params, body }) => ({
    data: { eval: await evals.changeCases(deps, { ...toActing(principal), id: checkId(params.id) }, body) },
  })),
  defineBinding(deleteEval, async (deps, { principal, params }) => {
    const target = { ...toActing(principal), id: checkId(params.id) }
    const archived = await evals.archiveEval(deps, target)
    await runs.cancelRunsOfEval(deps, target.organizationId, target.id)
    return { data: { eval: archived } }
  }),
  defineBinding(listEvalVersions, async (deps, { principal, params, query }) => {
    const target = toTarget(principal, params.id)
    const list = { scope: deps.listScope(target.organizationId), list: `eval-versions:${target.id}`, start: 0 }
    const asked = { ...target, viewer: principal.viewer }
    return { data: await evals.listVersionPage(deps, asked, { list, query }) }
  }),
  defineBinding(listEvalCases, async (deps, { principal, params, query }) => {
    const target = toTarget(principal, params.id)
    const name = `eval-cases:${target.id}:${query.version ?? ''}`
    const list = { scope: deps.listScope(target.organizationId), list: name, start: '' }
    const asked = { ...target, viewer: principal.viewer }
    return { data: await evals.listCasePage(deps, asked, { list, query }) }
  }),
]

const runBindings = [
  defineBinding(startEvalRun, async (deps, { principal, params, body }) => {
    const starting = { ...toActing(principal), evalId: checkId(params.id) }
    return { data: { run: await runs.beginEvalRun(deps, starting, body) } }
  }),
  defineBinding(listEvalRuns, async (deps, { principal, params, query }) => {
    const { organizationId, id: evalId } = toTarget(principal, params.id)
    const list = { scope: deps.listScope(organizationId), list: `eval-runs:${evalId}`, start: '' }
    const read = (page: ListPage) =>
      runs.listEvalRunPage(deps, { organizationId, evalId, viewer: principal.viewer }, page)
    return listAnswer('runs', list, query, read, ({ id }) => id)
  }),
  defineBinding(getEvalRun, async (deps, { principal, params }) => ({
    data: { run: await runs.readEvalRun(deps, toTarget(principal, params.id)) },
  })),
  defineBinding(listEvalResults, async (deps, { principal, params, query }) => {
    const target = toTarget(principal, params.id)
    const name = `eval-results:${target.id}:${query.filter ?? ''}`
    const list = { scope: deps.listScope(target.organizationId), list: name, start: '' }
    return { data: await runs.listResultPage(deps, target, { list, query }) }
  }),
  defineBinding(cancelEvalRun, async (deps, { principal, params }) => ({
    data: { run: await runs.cancelEvalRun(deps, toTarget(principal, params.id)) },
  })),
]

const toPlace = ({ organization }: ManagerPrincipal, name: string) => ({
  ...{ organizationId: organization.id, name: checkRubricName(name) },
})

const rubricBindings = [
  defineBinding(putRubric, async (deps, { principal, params, body }) => {
    const place = { ...toPlace(principal, params.name), by: principal.actor }
    const { rubric, created } = await rubrics.storeRubric(deps, place, body)
    return { outcome: created ? 'created' : 'done', data: { rubric } }
  }),
  defineBinding(listRubrics, async (deps, { principal, query }) => {
    const { id } = principal.organization
    const list = { scope: deps.listScope(id), list: 'rubrics', start: '' }
    const read = (page: ListPage) => rubrics.listRubricPage(deps, id, page)
    return listAnswer('rubrics', list, query, read, ({ name }) => name)
  }),
  defineBinding(getRubric, async (deps, { principal, params }) => ({
    data: { rubric: await rubrics.readRubric(deps, toPlace(principal, params.name)) },
  })),
  defineBinding(listRubricVersions, async (deps, { principal, params, query }) => {
    const place = toPlace(principal, params.name)
    const list = { scope: deps.listScope(place.organizationId), list: `rubric-versions:${place.name}`, start: 0 }
    const read = (page: PageRequest<number>) => rubrics.listRubricVersionPage(deps, place, page)
    return listAnswer('versions', list, query, read, ({ version }) => version)
  }),
  defineBinding(deleteRubric, async (deps, { principal, params }) => {
    await rubrics.deleteRubric(deps, { ...toPlace(principal, params.name), by: principal.actor })
    return { data: { deleted: true } }
  }),
]

export const evalBindings = [...definitionBindings, ...runBindings, ...rubricBindings]
