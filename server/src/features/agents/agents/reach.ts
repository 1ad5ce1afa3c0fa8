import type { AgentAccess, AgentDefinition } from '@noema/contracts/agents.ts'

// The Brains and tools of an agent in a run that may do less than the agent.

type Brains = AgentDefinition['brains']

const limitBrains = (brains: Brains, maxAccess: AgentAccess | null | undefined): Brains =>
  maxAccess === 'read_only' ? brains.map((brain) => ({ ...brain, access: maxAccess })) : brains

/** The Brains that a run of an agent reaches, with the lesser of two accesses; those of its skills are read. */
export const listReach = (definition: AgentDefinition, maxAccess: AgentAccess | null | undefined): Brains => {
  const brains = limitBrains(definition.brains, maxAccess)
  if (definition.skills === undefined) return brains
  const known = new Map(brains.map((brain) => [brain.id, brain]))
  for (const { brainId: id, brain: handle } of definition.skills)
    if (!known.has(id)) known.set(id, { id, handle, access: 'read_only' })
  return [...known.values()]
}

/** The definition of an agent in a run with this maximal access. */
export const limitDefinition = (definition: AgentDefinition, maxAccess: AgentAccess | null): AgentDefinition => ({
  ...definition,
  brains: limitBrains(definition.brains, maxAccess),
  // A run that may only read writes no files either.
  tools: definition.tools.filter((tool) => maxAccess !== 'read_only' || tool !== 'artifact_write'),
})
