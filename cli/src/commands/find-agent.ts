import type { Client } from '@noema/sdk'
import { NotFound, UsageError } from '../exit-codes.ts'

export type Agent = Awaited<ReturnType<Client['agents']['get']>>['agent']

/** The agent that a command line means, by its id or its name. Throws where no agent has that name, or several have. */
export const findAgent = async (client: Client, given: string, signal: AbortSignal): Promise<Agent> => {
  if (/^agt_[0-9a-z]{26}$/.test(given)) return (await client.agents.get(given, { signal })).agent
  const named: Agent[] = []
  for await (const agent of client.agents.list({ archived: 'false', limit: 500 }, { signal })) {
    if (agent.name === given) named.push(agent)
  }
  const [found, another] = named
  if (!found) throw new NotFound(`No agent is named ${JSON.stringify(given)}. See \`noema agents list\`.`)
  if (!another) return found
  throw new UsageError(
    `${named.length} agents are named ${JSON.stringify(given)}. Give the id of one: ${named.map(({ id }) => id).join(', ')}.`,
  )
}
