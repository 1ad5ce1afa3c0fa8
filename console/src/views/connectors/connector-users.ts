import type { Agent } from '@noema/contracts/agents.ts'

/** The tools of a connector that an agent has: `all`, those it allows, or undefined for none. */
export const findAllowed = ({ tools }: Pick<Agent, 'tools'>, id: string): 'all' | readonly string[] | undefined => {
  for (const tool of tools) {
    if (typeof tool === 'object' && 'connector' in tool && tool.connector === id) return tool.allow ?? 'all'
  }
  return undefined
}
