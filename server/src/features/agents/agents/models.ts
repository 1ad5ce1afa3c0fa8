import type { Path } from '../../../shared/errors.ts'
import { invalidArgument, notFound } from '../../../shared/errors.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db } from '../../../storage/database.ts'
import { type ModelRow, selectModels, selectModelsByName } from './model-queries.ts'

// Agents under the names that clients of OpenAI's API have for them: their own names, or their ids where names repeat.

type Deps = { db: Db }

/** The most agents that a list of models has: the newest. */
const maxModels = 10_000
const maxNamesakes = 5

/** An agent, and its name as a model. */
export type AgentModel = { id: string; name: string; agentId: string; createdAt: Date }

/** A name that could be the id of another agent is not used. */
const isId = (name: string): boolean => name.startsWith('agt_')

const toModel = ({ id, name, createdAt }: ModelRow, isUnique: boolean): AgentModel => ({
  ...{ id: isUnique && !isId(name) ? name : id, name, agentId: id, createdAt },
})

/** The agents of an organization that are not archived, as models. */
export const listAgentModels = async ({ db }: Deps, organizationId: string, viewer: Viewer): Promise<AgentModel[]> => {
  const rows = await selectModels(db, organizationId, { limit: maxModels, viewer })
  const named = Map.groupBy(rows, ({ name }) => name)
  return rows.map((row) => toModel(row, named.get(row.name)?.length === 1))
}

/** The agent of a model's name or of its own id. `at`: the argument that names it. */
export const findAgentModel = async (
  { db }: Deps,
  { organizationId, viewer }: { organizationId: string; viewer: Viewer },
  model: string,
  at: Path,
): Promise<AgentModel> => {
  const rows = await selectModelsByName(db, organizationId, { id: model, name: model, limit: maxNamesakes, viewer })
  const [found, ...others] = rows
  const exact = rows.find(({ id }) => id === model) ?? (others.length === 0 ? found : undefined)
  if (exact) return toModel(exact, !rows.some(({ id, name }) => id !== exact.id && name === exact.name))
  if (found) {
    const ids = rows.map(({ id }) => id).join(', ')
    throw invalidArgument(at, `Several agents have this name. Name one by its id: ${ids}.`)
  }
  const message = `This organization has no agent ${JSON.stringify(model)}. List the models to see those that there are.`
  throw notFound(message, { code: 'model_not_found', details: [{ path: at, message }] })
}

/** The name that an agent has as a model; its id where it is archived or gone. */
export const nameModel = async ({ db }: Deps, organizationId: string, agentId: string): Promise<string> => {
  const [agent] = await selectModelsByName(db, organizationId, { id: agentId, name: agentId, limit: 1 })
  if (!agent) return agentId
  const namesakes = await selectModelsByName(db, organizationId, { id: '', name: agent.name, limit: 2 })
  return toModel(agent, namesakes.length === 1).id
}
