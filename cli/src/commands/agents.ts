import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Client } from '@noema/sdk'
import { type Context, connectClient, type GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { type Agent, findAgent } from './find-agent.ts'

type NewAgent = Parameters<Client['agents']['create']>[0]

const formatAgent = ({ id, version, model, name }: Agent): string => `${id}  version ${version}  ${model}  ${name}`

/** Lists the agents that are not archived. */
export const listAgents = async (context: Context, options: GlobalOptions): Promise<number> => {
  const { signal, stdout } = context
  const query = { archived: 'false', limit: 500 } as const
  for await (const agent of connectClient(context, options).agents.list(query, { signal }))
    await (options.json ? writeJson(stdout, agent) : writeLine(stdout, formatAgent(agent)))
  return exitCodes.ok
}

const readDefinition = async ({ stdin, cwd }: Context, file: string): Promise<NewAgent> => {
  const source = file === '-' ? text(stdin) : readFile(resolve(cwd, file), 'utf8')
  const content = await source.catch(() => {
    throw new UsageError(`${file} cannot be read.`)
  })
  try {
    // What it says is for the service to judge, which names each field that is wrong.
    return JSON.parse(content) as NewAgent
  } catch {
    throw new UsageError(`${file} is not JSON.`)
  }
}

/** Makes an agent of a JSON file, which has what the API takes. Prints its id. */
export const createAgent = async (context: Context, options: GlobalOptions & { file: string }): Promise<number> => {
  const { signal, stdout } = context
  const definition = await readDefinition(context, options.file)
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
