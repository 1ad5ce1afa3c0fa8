import {
  createAgent,
  deleteAgent,
  getAgent,
  listAgents,
  listAgentVersions,
  patchAgent,
} from '@noema/contracts/agents.ts'
import { createProject, deleteProject, getProject, listProjects, patchProject } from '@noema/contracts/projects.ts'
import type { ManagementPrincipal, MemberPrincipal } from '../../access/principal.ts'
import {
  archiveAgent,
  changeAgent,
  listAgentPage,
  listVersionPage,
  makeAgent,
  readAgent,
} from '../../features/agents/agents/agents.ts'
import * as projects from '../../features/agents/projects/projects.ts'
import { endRunsOfAgent } from '../../features/agents/runs/runs.ts'
import { defineBinding } from '../binding.ts'
import { listAnswer } from '../list-answer.ts'
import { checkId } from '../path-arguments.ts'

const toPlace = ({ id }: { id: string }) => id

/** The actor who makes something, and its organization. */
const toOwner = ({ organization, actor }: ManagementPrincipal | MemberPrincipal) => ({
  organizationId: organization.id,
  createdBy: actor,
})

const projectBindings = [
  defineBinding(createProject, async (deps, { principal, body }) => ({
    data: { project: await projects.createProject(deps, toOwner(principal), body.name) },
  })),
  defineBinding(listProjects, async (deps, { principal, query }) => {
    const { id } = principal.organization
    const list = { scope: deps.listScope(id), list: 'projects', start: '' }
    return listAnswer('projects', list, query, (page) => projects.listProjectPage(deps, id, page), toPlace)
  }),
  defineBinding(getProject, async (deps, { principal, params }) => {
    const target = { organizationId: principal.organization.id, id: checkId(params.id) }
    return { data: { project: await projects.readProject(deps, target) } }
  }),
  defineBinding(patchProject, async (deps, { principal, params, body }) => {
    const target = { organizationId: principal.organization.id, id: checkId(params.id), by: principal.actor }
    return { data: { project: await projects.changeProject(deps, target, body.name) } }
  }),
  defineBinding(deleteProject, async (deps, { principal, params }) => {
    const target = { organizationId: principal.organization.id, id: checkId(params.id), by: principal.actor }
    return { data: { project: await projects.archiveProject(deps, target) } }
  }),
]

export const agentBindings = [
  ...projectBindings,
  defineBinding(createAgent, async (deps, { principal, body }) => ({
    data: { agent: await makeAgent(deps, toOwner(principal), body) },
  })),
  defineBinding(listAgents, async (deps, { principal, query }) => {
    const { id } = principal.organization
    const { projectId, archived } = query
    const filter = {
      projectId,
      archived: archived === undefined ? undefined : archived === 'true',
      viewer: principal.viewer,
    }
    const list = { scope: deps.listScope(id), list: 'agents', start: '' }
    return { data: await listAgentPage(deps, id, { list, query, filter }) }
  }),
  defineBinding(getAgent, async (deps, { principal, params }) => ({
    data: { agent: await readAgent(deps, { organizationId: principal.organization.id, id: checkId(params.id) }) },
  })),
  defineBinding(patchAgent, async (deps, { principal, params, body }) => ({
    data: { agent: await changeAgent(deps, { ...toOwner(principal), id: checkId(params.id) }, body) },
  })),
  defineBinding(listAgentVersions, async (deps, { principal, params, query }) => {
    const target = { organizationId: principal.organization.id, id: checkId(params.id), viewer: principal.viewer }
    const list = { scope: deps.listScope(target.organizationId), list: `versions:${target.id}`, start: 0 }
    return { data: await listVersionPage(deps, target, { list, query }) }
  }),
  defineBinding(deleteAgent, async (deps, { principal, params }) => {
    const target = { ...toOwner(principal), id: checkId(params.id) }
    const agent = await archiveAgent(deps, target)
    await endRunsOfAgent(deps, target.organizationId, target.id)
    return { data: { agent } }
  }),
]
