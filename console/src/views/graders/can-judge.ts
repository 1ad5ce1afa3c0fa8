import type { Agent } from '@noema/contracts/agents.ts'

/** True if an agent has nothing to act with: what it judges or rewords may contain instructions. */
export const canJudge = ({ tools, brains, corpora, skills }: Agent): boolean =>
  tools.length + brains.length + (corpora?.length ?? 0) + (skills?.length ?? 0) === 0
