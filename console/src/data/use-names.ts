import type { Agent } from '@noema/contracts/agents.ts'
import type { Brain } from '@noema/contracts/brains.ts'
import type { Eval } from '@noema/contracts/evals.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useSession } from '../session/session.tsx'
import { agentsQuery } from './agents.ts'
import { brainsQuery } from './brains.ts'
import { evalsQuery } from './evals.ts'

/** The organization's agents that are not archived; undefined until they are loaded. */
export const useAgentList = (): readonly Agent[] | undefined =>
  useInfiniteQuery(agentsQuery(useSession())).data?.pages.flatMap(({ agents }) => agents)

/** The organization's Brains; undefined until they are loaded. */
export const useBrainList = (): readonly Brain[] | undefined =>
  useInfiniteQuery(brainsQuery(useSession())).data?.pages.flatMap(({ brains }) => brains)

/** The organization's evals that are not archived; undefined until they are loaded. */
export const useEvalList = (): readonly Eval[] | undefined =>
  useInfiniteQuery(evalsQuery(useSession())).data?.pages.flatMap(({ evals }) => evals)
