import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { PackFileInput } from '@noema/contracts/pack-files.ts'
import type { BrainClient } from '@noema/sdk'
import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { exportEvals } from './export-evals.ts'

type Options = GlobalOptions & { brain: string; output?: string }
type Client = ReturnType<typeof connectClient>
type Agent = Awaited<ReturnType<Client['agents']['list']>>['agents'][number]

/** The agents that are not archived. */
const listAgents = async (client: Client, signal: AbortSignal): Promise<Agent[]> => {
  const found: Agent[] = []
  for await (const agent of client.agents.list({ archived: 'false', limit: 500 }, { signal })) found.push(agent)
  return found
}

const reaches = (agent: Agent, id: string): boolean => agent.brains.some((brain) => brain.id === id)

const plural = (count: number, what: string): string => `${count} ${count === 1 ? what : `${what}s`}`

const toAgent = ({ name, instructions, brains, outputSchema }: Agent, id: string) => ({
  ...{ name, instructions, description: name },
  access: brains.find((brain) => brain.id === id)?.access ?? ('none' as const),
  ...(outputSchema === undefined ? {} : { outputSchema }),
})

/** The triggers of a Brain that start its agents at named kinds. */
const listTriggers = async (client: Client, id: string, agents: readonly Agent[], signal: AbortSignal) => {
  const { triggers } = await client.triggers.list({ signal })
  return triggers.flatMap(({ trigger }) => {
    const agent = agents.find((one) => one.id === trigger.agentId)
    const entityKinds = trigger.kindScopes.map(({ entityKind }) => entityKind)
    if (trigger.knowledgeGraphId !== id || !agent || entityKinds.length === 0) return []
    const { name, expectedOutcome, requiredAccess } = trigger
    return [{ name, agent: agent.name, expectedOutcome, requiredAccess, entityKinds }]
  })
}

const listSkills = async ({ skills }: BrainClient, signal: AbortSignal) => {
  const found: { name: string; files: { path: string; text: string }[] }[] = []
  for await (const { name, problem } of skills.list({}, { signal })) {
    if (problem !== undefined && problem !== null) continue
    const { skill } = await skills.get(name, {}, { signal })
    const files = await Promise.all(
      skill.files.map(async ({ path }) => ({ path, text: (await skills.file(name, path, {}, { signal })).file.text })),
    )
    found.push({ name, files })
  }
  return found
}

/** Makes a pack of a Brain: its kinds, agents, triggers, skills, and evals with their rubrics. Its content is that of a bundle, and no part of it. */
export const exportPack = async (context: Context, options: Options): Promise<number> => {
  const { cwd, signal, stdout, stderr } = context
  const client = connectClient(context, options)
  const { brain } = await client.brains.get(options.brain, { signal })
  const opened = client.brain(options.brain)
  const [{ schema }, all, skills] = await Promise.all([
    opened.schema.get({}, { signal }),
    listAgents(client, signal),
    listSkills(opened, signal),
  ])
  const ofBrain = all.filter((agent) => reaches(agent, brain.id))
  const { judges, rubrics, evals, left } = await exportEvals(client, { brain, agents: ofBrain, all }, signal)
  const agents = [...ofBrain, ...judges]
  const title = brain.name ?? brain.handle
  const pack: PackFileInput = {
    ...{ title, description: brain.purpose ?? title, purpose: brain.purpose ?? title, kinds: schema.kinds },
    agents: agents.map((agent) => toAgent(agent, brain.id)),
    triggers: await listTriggers(client, brain.id, agents, signal),
    ...{ skills, rubrics, evals },
  }
  for (const { name, reason } of left) await writeLine(stderr, `noema: The eval ${name} is left out: ${reason}`)
  if (options.output === undefined) await writeJson(stdout, pack)
  else {
    await writeFile(resolve(cwd, options.output), `${JSON.stringify(pack, null, 2)}\n`, { flag: 'wx' })
    const counts = [plural(agents.length, 'agent'), plural(skills.length, 'skill'), plural(evals.length, 'eval')]
    await writeLine(stderr, `Wrote ${options.output}: ${counts.join(', ')}.`)
  }
  return exitCodes.ok
}
