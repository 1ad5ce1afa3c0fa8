import type { Agent, AgentDefinition, AgentVersion, createAgent, patchAgent } from '@noema/contracts/agents.ts'
import { defaultAgentLimits } from '@noema/contracts/agents.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { Limits } from '../../../config/config.ts'
import { type Actor, summarizeActor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, notFound, type Path, unknownReference } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import { canonicalJson } from '../../../shared/text/json.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db, Queryable, Tx } from '../../../storage/database.ts'
import { holdAccess } from '../../accounts/keys/revoking.ts'
import { endPage, type List, openPage, type PageQuery } from '../../platform/cursors/cursors.ts'
import { holdProject } from '../projects/projects.ts'
import type { SharedKeys } from '../providers/access.ts'
import { auditAgent } from './agent-audit.ts'
import {
  type AgentFilter,
  type AgentRow,
  archiveAgentRow,
  countAgents,
  insertAgent,
  insertNextVersion,
  lockOrganization,
  selectAgent,
  selectAgents,
  selectVersions,
  type VersionRow,
} from './agent-queries.ts'
import type { OutputChecks } from './output-checks.ts'
import { checkModel, checkTools, pinBrains, toCorpora, toSkills } from './references.ts'

// Agents and their versions. A version is written once; the write looks up everything that an agent names.

type Deps = {
  db: Db
  clock: Clock
  limits: Pick<Limits, 'agents'>
  sharedKeys: SharedKeys
  outputChecks: Pick<OutputChecks, 'checkSchema'>
}
type Target = { organizationId: string; id: string }
type Owner = { organizationId: string; createdBy: Actor }

const agentView = ({
  id,
  projectId,
  version,
  definition,
  createdAt,
  updatedAt,
  updatedBy,
  archivedAt,
}: AgentRow): Agent => ({
  ...{ id, projectId, version },
  ...definition,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
  updatedBy: summarizeActor(updatedBy),
  archivedAt: archivedAt?.toISOString() ?? null,
})

const versionView = ({ version, definition, createdAt, createdBy }: VersionRow): AgentVersion => ({
  version,
  ...definition,
  createdAt: createdAt.toISOString(),
  createdBy: summarizeActor(createdBy),
})

const describeMissingAgent = (id: string): string =>
  `This organization has no agent ${JSON.stringify(id)}. List its agents to see those that there are.`

/** The refusal of an id that no agent of the organization has. */
export const noSuchAgent = (id: string) => notFound(describeMissingAgent(id))

/** The refusal of an argument that names an agent which is not there. */
export const unknownAgent = (path: Path, id: string) => unknownReference(path, describeMissingAgent(id))

/** The refusal of an agent that was archived. */
export const archivedAgent = () =>
  conflict('This agent is archived: it can be read, but neither run nor changed. Create another one.', {
    code: 'agent_archived',
  })

/** An agent in its newest version, archived or not; `lock` keeps it from being archived until the transaction ends. */
export const findAgent = (
  db: Queryable,
  organizationId: string,
  id: string,
  { lock = false, viewer }: { lock?: boolean; viewer?: Viewer } = {},
): Promise<AgentRow | undefined> =>
  selectAgent(db, organizationId, id, { viewer, ...(lock ? { lock: 'archiving' } : {}) })

/** Refuses an agent that is not one of the organization's. `at`: the argument that names it, where the path does not. */
export const checkAgentExists = async (db: Queryable, { organizationId, id }: Target, at?: Path): Promise<void> => {
  if (!(await selectAgent(db, organizationId, id))) throw at ? unknownAgent(at, id) : noSuchAgent(id)
}

const toLimits = (
  given: BodyOutput<typeof createAgent>['limits'],
  former: AgentDefinition['limits'] = defaultAgentLimits,
): AgentDefinition['limits'] => {
  const maxCostCents = given.maxCostCents === undefined ? former.maxCostCents : (given.maxCostCents ?? undefined)
  return {
    maxSteps: given.maxSteps ?? former.maxSteps,
    ...(maxCostCents === undefined ? {} : { maxCostCents }),
    timeoutSeconds: given.timeoutSeconds ?? former.timeoutSeconds,
  }
}

type Added = { agents: number; versions: number }

/** Refuses an addition beyond the caps of an organization. */
const checkCaps = async (tx: Tx, organizationId: string, { limits }: Deps, added: Added): Promise<void> => {
  const { max: maxAgents, maxVersions: maxAgentVersions } = limits.agents
  const count = await countAgents(tx, organizationId)
  if (count.agents + added.agents > maxAgents)
    throw conflict(`This organization has ${maxAgents} agents, which is the maximum. Archive one first.`, {
      code: 'too_many_agents',
    })
  if (count.versions + added.versions > maxAgentVersions)
    throw conflict(`This organization has ${maxAgentVersions} versions of agents, which is the maximum.`, {
      code: 'too_many_agent_versions',
    })
}

/**
 * Runs writes that add to what is capped. All of them come before the lock under which the caps are checked, so that many
 * callers at once hold it only for a count and the commit each. The check before the writes makes a refusal cheap.
 */
const addWithinCaps = async <Result>(
  deps: Deps,
  { tx, organizationId }: { tx: Tx; organizationId: string },
  added: Added,
  write: () => Promise<Result>,
): Promise<Result> => {
  await checkCaps(tx, organizationId, deps, added)
  const result = await write()
  await lockOrganization(tx, organizationId)
  await checkCaps(tx, organizationId, deps, { agents: 0, versions: 0 })
  return result
}

const readAgentIn = async (tx: Queryable, { organizationId, id }: Target): Promise<Agent> => {
  const row = await selectAgent(tx, organizationId, id)
  if (!row) throw noSuchAgent(id)
  return agentView(row)
}

/** Makes an agent; `note` stores its id elsewhere, in the same transaction. */
export const makeAgent = async (
  deps: Deps,
  { organizationId, createdBy }: Owner,
  given: BodyOutput<typeof createAgent>,
  note?: (tx: Tx, id: string) => Promise<void>,
): Promise<Agent> => {
  if (given.outputSchema) await deps.outputChecks.checkSchema(organizationId, given.outputSchema)
  return deps.db.transaction().execute(async (tx) => {
    await holdAccess(tx, createdBy, { organizationId })
    const place = { db: tx, organizationId, sharedKeys: deps.sharedKeys, viewer: createdBy.userId }
    await checkModel(place, given.model)
    await checkTools(place, given.tools)
    const brains = await pinBrains(place, given.brains)
    const projectId = await holdProject(tx, { organizationId, projectId: given.projectId })
    const { name, instructions, model, tools, outputSchema } = given
    const definition = {
      ...{ name, instructions, model, tools, brains },
      ...(await toCorpora(place, given.corpora)),
      ...(await toSkills(place, given.skills)),
      ...(outputSchema ? { outputSchema } : {}),
      limits: toLimits(given.limits),
    }
    const now = deps.clock.now()
    const id = newId('agt', now)
    return addWithinCaps(deps, { tx, organizationId }, { agents: 1, versions: 1 }, async () => {
      await insertAgent(tx, organizationId, { id, projectId, version: 1, definition, createdBy, now })
      await note?.(tx, id)
      const after = { version: 1, definition }
      await auditAgent(tx, { organizationId, id, by: createdBy }, 'agent.created', { after, at: now })
      return readAgentIn(tx, { organizationId, id })
    })
  })
}

/** The new definition of an agent: given references are looked up; the rest stays, even if it no longer exists. */
const toDefinition = async (
  place: { db: Tx; organizationId: string; sharedKeys: SharedKeys; viewer: Viewer },
  former: AgentDefinition,
  given: BodyOutput<typeof patchAgent>,
): Promise<AgentDefinition> => {
  if (given.model !== undefined && given.model !== former.model) await checkModel(place, given.model)
  if (given.tools) await checkTools(place, given.tools)
  const { outputSchema: formerSchema, corpora: formerCorpora, skills: formerSkills, ...rest } = former
  const outputSchema = given.outputSchema === undefined ? formerSchema : (given.outputSchema ?? undefined)
  return {
    ...rest,
    name: given.name ?? former.name,
    instructions: given.instructions ?? former.instructions,
    model: given.model ?? former.model,
    tools: given.tools ?? former.tools,
    brains: given.brains ? await pinBrains(place, given.brains) : former.brains,
    ...(await toCorpora(place, given.corpora, formerCorpora)),
    ...(await toSkills(place, given.skills, formerSkills)),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    limits: toLimits(given.limits ?? {}, former.limits),
  }
}

/**
 * Makes the next version of an agent; what changes nothing makes none, nor does a change of another `version` than the current one.
 * `note` is called in its transaction.
 */
export const changeAgent = async (
  deps: Deps,
  { organizationId, createdBy, id }: Owner & { id: string },
  given: BodyOutput<typeof patchAgent>,
  { version, note }: { version?: number; note?: (tx: Tx, version: number) => Promise<void> } = {},
): Promise<Agent> => {
  if (given.outputSchema) await deps.outputChecks.checkSchema(organizationId, given.outputSchema)
  return deps.db.transaction().execute(async (tx) => {
    await holdAccess(tx, createdBy, { organizationId })
    const row = await selectAgent(tx, organizationId, id, { lock: 'change' })
    if (!row) throw noSuchAgent(id)
    if (row.archivedAt !== null) throw archivedAgent()
    if (version !== undefined && version !== row.version) return agentView(row)
    const definition = await toDefinition(
      { db: tx, organizationId, sharedKeys: deps.sharedKeys, viewer: createdBy.userId },
      row.definition,
      given,
    )
    if (canonicalJson(definition) === canonicalJson(row.definition)) return agentView(row)
    const now = deps.clock.now()
    const next = { version: row.version + 1, definition }
    return addWithinCaps(deps, { tx, organizationId }, { agents: 0, versions: 1 }, async () => {
      await insertNextVersion(tx, organizationId, { id, ...next, createdBy, now })
      await note?.(tx, next.version)
      const agent = { organizationId, id, by: createdBy }
      await auditAgent(tx, agent, 'agent.changed', { before: row, after: next, at: now })
      return readAgentIn(tx, { organizationId, id })
    })
  })
}

/** An agent as answers show it. */
export const readAgent = (deps: Pick<Deps, 'db'>, target: Target): Promise<Agent> => readAgentIn(deps.db, target)

/** A page of an organization's agents. It ends early where they are long. */
export const listAgentPage = async (
  deps: Pick<Deps, 'db'>,
  organizationId: string,
  { list, query, filter }: { list: List<string>; query: PageQuery; filter: AgentFilter },
) => {
  const page = await openPage(list, query)
  const read = await selectAgents(deps.db, organizationId, filter, { ...query, after: page.after })
  const agents = read.rows.map(agentView)
  return { agents, cursor: endPage(page, agents.at(-1)?.id), hasMore: read.found > agents.length }
}

/** A page of an agent's versions. */
export const listVersionPage = async (
  deps: Pick<Deps, 'db'>,
  target: Target & { viewer: Viewer },
  { list, query }: { list: List<number>; query: PageQuery },
) => {
  await checkAgentExists(deps.db, target)
  const page = await openPage(list, query)
  const read = await selectVersions(deps.db, target, { ...query, after: page.after })
  const versions = read.rows.map(versionView)
  return { versions, cursor: endPage(page, versions.at(-1)?.version), hasMore: read.found > versions.length }
}

/** Archives an agent. Starting a run locks the agent, so that none begins after this. */
export const archiveAgent = (
  deps: Deps,
  { organizationId, createdBy: by, id }: Owner & { id: string },
): Promise<Agent> =>
  deps.db.transaction().execute(async (tx) => {
    const row = await selectAgent(tx, organizationId, id, { lock: 'change' })
    if (row && row.archivedAt === null) {
      const at = deps.clock.now()
      await archiveAgentRow(tx, organizationId, id, at)
      await auditAgent(tx, { organizationId, id, by }, 'agent.archived', { after: row, at })
    }
    return readAgentIn(tx, { organizationId, id })
  })
