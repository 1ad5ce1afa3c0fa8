import type { Client } from '@noema/sdk'
import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { readJsonInput } from '../parse-options.ts'
import { type Column, writeList } from '../table.ts'
import { type Agent, findAgent } from './find-agent.ts'

type NewAgent = Parameters<Client['agents']['create']>[0]

const formatAgent = ({ id, version, model, name }: Agent): string => `${id}  version ${version}  ${model}  ${name}`

const columns: Column<Agent>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'VERSION', value: ({ version }) => version },
  { title: 'MODEL', value: ({ model }) => model, shrinks: true },
  { title: 'NAME', value: ({ name }) => name, shrinks: true },
]

/** Lists the agents that are not archived. */
export const listAgents = async (context: Context, options: GlobalOptions): Promise<number> => {
  const query = { archived: 'false', limit: 500 } as const
  const list = connectClient(context, options).agents.list(query, { signal: context.signal })
  await writeList(context, options, {
    ...{ list, columns, limit: Number.MAX_SAFE_INTEGER },
    none: 'There is no agent yet.',
  })
  return exitCodes.ok
}

/** Creates an agent from a JSON file in the API's format. Prints its id. */
export const createAgent = async (context: Context, options: GlobalOptions & { file: string }): Promise<number> => {
  const { signal, stdout } = context
  const definition = await readJsonInput<NewAgent>(context, options.file)
  const { agent } = await connectClient(context, options).agents.create(definition, { signal })
  await (options.json ? writeJson(stdout, agent) : writeLine(stdout, agent.id))
  return exitCodes.ok
}

/** Shows an agent, by its id or its name. */
export const showAgent = async (context: Context, given: string, options: GlobalOptions): Promise<number> => {
  const { signal, stdout } = context
  const agent = await findAgent(connectClient(context, options), given, signal)
  if (options.json) await writeJson(stdout, agent)
  else {
    const brains = agent.brains.map(({ handle, access }) => `${handle} (${access})`).join(', ') || 'none'
    const tools =
      agent.tools.map((tool) => (typeof tool === 'string' ? tool : JSON.stringify(tool))).join(', ') || 'none'
    const { maxSteps, timeoutSeconds } = agent.limits
    const limits = `${maxSteps} steps, ${timeoutSeconds} seconds`
    for (const line of [
      formatAgent(agent),
      `Brains: ${brains}`,
      `Tools: ${tools}`,
      `Limits: ${limits}`,
      '',
      agent.instructions,
    ])
      for (const part of line.split('\n')) await writeLine(stdout, part)
  }
  return exitCodes.ok
}
