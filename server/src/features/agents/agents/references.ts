import { type AgentDefinition, type AgentTool, builtinModels, maxAgentConnectors } from '@noema/contracts/agents.ts'
import { builtinProvider } from '@noema/contracts/providers.ts'
import { invalidArgument, type Path } from '../../../shared/errors.ts'
import { listNames } from '../../../shared/text/list-names.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { Queryable } from '../../../storage/database.ts'
import { selectBrainById, selectIdsByHandles } from '../../kernel/brains/brain-queries.ts'
import { listCorpusNames } from '../../retrieval/corpora/corpora.ts'
import { findSkills } from '../../writing/skills/skills.ts'
import { listConnectorIds } from '../connectors/connectors.ts'
import { listShared, type SharedKeys } from '../providers/access.ts'
import { listProviderNames } from '../providers/providers.ts'
import { selectLiveAgents, selectSomeAgents } from './agent-queries.ts'

// Writing an agent looks up everything that it names; a missing one is refused with a list of those that exist.

/** `viewer`: who writes; what is hidden from them is not there. */
type Place = { db: Queryable; organizationId: string; sharedKeys: SharedKeys; viewer: Viewer }

/** The error of a missing agent lists at most this many. */
const maxListed = 20

const checkUnique = (values: readonly string[], toPath: (index: number) => Path): void => {
  const index = values.findIndex((value, at) => values.indexOf(value) !== at)
  if (index !== -1) throw invalidArgument(toPath(index), `${JSON.stringify(values[index])} is named twice.`)
}

/** Refuses a model whose provider the organization does not have. */
export const checkModel = async (
  { db, organizationId, sharedKeys }: Omit<Place, 'viewer'>,
  model: string,
): Promise<void> => {
  const provider = model.slice(0, model.indexOf('/'))
  if (provider === builtinProvider) {
    if (builtinModels.includes(model)) return
    throw invalidArgument(
      ['model'],
      `There is no built-in model ${JSON.stringify(model)}; ${listNames(builtinModels)}.`,
    )
  }
  const own = await listProviderNames(db, organizationId)
  const names = [...own, ...listShared(sharedKeys).map(({ name }) => name)]
  if (names.includes(provider)) return
  const message = `This organization has no provider ${JSON.stringify(provider)}; ${listNames([...names, builtinProvider])}. Set it up first.`
  throw invalidArgument(['model'], message)
}

/** The Brains of an agent by their ids, so that a new one under the same handle is not taken for the former. */
export const pinBrains = async (
  { db, organizationId, viewer }: Omit<Place, 'sharedKeys'>,
  given: readonly Pick<AgentDefinition['brains'][number], 'handle' | 'access'>[],
): Promise<AgentDefinition['brains']> => {
  const handles = given.map(({ handle }) => handle)
  checkUnique(handles, (index) => ['brains', index, 'handle'])
  const ids = await selectIdsByHandles(db, organizationId, handles, viewer)
  return given.map(({ handle, access }, index) => {
    const id = ids.get(handle)
    if (id !== undefined) return { id, handle, access }
    const message = `This organization has no Brain ${JSON.stringify(handle)}. List its Brains to see those that there are.`
    throw invalidArgument(['brains', index, 'handle'], message)
  })
}

/** Refuses corpora that are not there. */
const checkCorpora = async (
  { db, organizationId }: Pick<Place, 'db' | 'organizationId'>,
  names: readonly string[],
): Promise<void> => {
  checkUnique(names, (index) => ['corpora', index])
  const known = await listCorpusNames(db, organizationId, names)
  const index = names.findIndex((name) => !known.includes(name))
  if (index === -1) return
  const message = `This organization has no corpus ${JSON.stringify(names[index])}. List its corpora to see those that there are.`
  throw invalidArgument(['corpora', index], message)
}

/** The corpora of a definition: given ones are looked up, and former ones stay, even if they no longer exist. */
export const toCorpora = async (
  place: Pick<Place, 'db' | 'organizationId'>,
  given: readonly string[] | undefined,
  former: readonly string[] = [],
): Promise<Pick<AgentDefinition, 'corpora'>> => {
  if (given) await checkCorpora(place, given)
  const corpora = [...(given ?? former)]
  return corpora.length > 0 ? { corpora } : {}
}

type PinnedSkills = NonNullable<AgentDefinition['skills']>
type SkillPlace = Pick<Place, 'db' | 'organizationId' | 'viewer'>

/** Refuses skills that their Brains do not have now. */
const checkSkills = async ({ db, organizationId, viewer }: SkillPlace, pinned: PinnedSkills): Promise<void> => {
  for (const [id, ofBrain] of Map.groupBy(pinned, ({ brainId }) => brainId)) {
    const brain = await selectBrainById(db, organizationId, id, viewer)
    const names = ofBrain.map(({ name }) => name)
    const found = brain ? await findSkills(db, brain.brainId, names) : []
    const missing = ofBrain.find((one) => !found.some(({ name }) => name === one.name))
    if (!missing) continue
    const message = `The Brain ${JSON.stringify(missing.brain)} has no skill ${JSON.stringify(missing.name)}. List its skills to see those that there are.`
    throw invalidArgument(['skills', pinned.indexOf(missing), 'name'], message)
  }
}

/** The skills of a definition, with the ids of their Brains: given ones are looked up, and former ones stay. */
export const toSkills = async (
  place: SkillPlace,
  given: readonly { brain: string; name: string }[] | undefined,
  former: PinnedSkills = [],
): Promise<Pick<AgentDefinition, 'skills'>> => {
  if (given === undefined) return former.length > 0 ? { skills: former } : {}
  if (given.length === 0) return {}
  const addresses = given.map(({ brain, name }) => `${brain}/${name}`)
  checkUnique(addresses, (index) => ['skills', index])
  const handles = [...new Set(given.map(({ brain }) => brain))]
  const ids = await selectIdsByHandles(place.db, place.organizationId, handles, place.viewer)
  const skills = given.map(({ brain, name }, index) => {
    const brainId = ids.get(brain)
    if (brainId !== undefined) return { brainId, brain, name }
    const message = `This organization has no Brain ${JSON.stringify(brain)}. List its Brains to see those that there are.`
    throw invalidArgument(['skills', index, 'brain'], message)
  })
  await checkSkills(place, skills)
  return { skills }
}

/** Refuses tools that are not there. */
export const checkTools = async (
  { db, organizationId, viewer }: Omit<Place, 'sharedKeys'>,
  tools: readonly AgentTool[],
): Promise<void> => {
  const names = tools.map((tool) => (typeof tool === 'string' ? tool : JSON.stringify(Object.values(tool)[0])))
  checkUnique(names, (index) => ['tools', index])
  const agents = tools.flatMap((tool) => (typeof tool === 'object' && 'agent' in tool ? [tool.agent] : []))
  const live = new Set(await selectLiveAgents(db, organizationId, agents, viewer))
  const named = tools.filter((tool) => typeof tool === 'object' && 'connector' in tool)
  if (named.length > maxAgentConnectors)
    throw invalidArgument(['tools'], `An agent has the tools of at most ${maxAgentConnectors} connectors.`)
  const connectors = await listConnectorIds(db, organizationId)
  for (const [index, tool] of tools.entries()) {
    if (typeof tool === 'string') continue
    if ('connector' in tool) {
      if (connectors.includes(tool.connector)) continue
      const message = `This organization has no connector ${JSON.stringify(tool.connector)}; ${listNames(connectors)}.`
      throw invalidArgument(['tools', index, 'connector'], message)
    }
    if (live.has(tool.agent)) continue
    const there = listNames(await selectSomeAgents(db, organizationId, maxListed, viewer))
    const message = `This organization has no agent ${JSON.stringify(tool.agent)} that is not archived; ${there}.`
    throw invalidArgument(['tools', index, 'agent'], message)
  }
}
