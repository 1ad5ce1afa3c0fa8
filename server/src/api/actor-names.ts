import type { ActorSummary } from '@noema/contracts/common.ts'
import { selectMemberNames } from '../features/accounts/auth/account-queries.ts'
import { selectKeyNames } from '../features/accounts/keys/key-queries.ts'
import { selectAgentNames } from '../features/agents/runs/run-queries.ts'
import type { Db } from '../storage/database.ts'

/**
 * Finds the display names of actors in an organization: a person's name, a key's name, and the name of a run's agent. Actors that
 * only an import mentions have no name: it may claim anything, so only members, keys and runs of the organization have names.
 */
export const findActorNames = async (
  { db }: { db: Db },
  place: { organizationId: string; brainIds: readonly number[] },
  actors: readonly ActorSummary[],
): Promise<(actor: ActorSummary | undefined) => string | undefined> => {
  const listIds = (type: ActorSummary['type']) => [
    ...new Set(actors.flatMap((actor) => (actor.type === type ? (actor.runId ?? actor.id) : []))),
  ]
  const [people, keys, agents] = await Promise.all([
    selectMemberNames(db, place.organizationId, listIds('session')),
    selectKeyNames(db, place, listIds('key')),
    selectAgentNames(db, place.organizationId, listIds('run')),
  ])
  const names = { session: people, key: keys, run: agents, system: new Map<string, string>() }
  return (actor) => actor && names[actor.type].get(actor.runId ?? actor.id)
}
