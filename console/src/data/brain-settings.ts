import type { patchBrain } from '@noema/contracts/brains.ts'
import type { BodyInput } from '@noema/contracts/endpoint.ts'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { agentsQuery } from './agents.ts'

// Changes the settings of a Brain, and loads the preview of its deletion.

type Given = BodyInput<typeof patchBrain>

/** Reloads all queries that show the Brain itself. */
const reloadBrain = async (queries: QueryClient, { organization }: Session, handle: string): Promise<void> => {
  await Promise.all([
    queries.invalidateQueries({ queryKey: [organization.id, 'brain', handle, 'brain'] }),
    queries.invalidateQueries({ queryKey: [organization.id, 'brains'] }),
  ])
}

export const changeBrain = async (queries: QueryClient, session: Session, handle: string, given: Given) => {
  await session.client.brains.patch(handle, given)
  await reloadBrain(queries, session, handle)
}

/** Places a hold, or changes its reason. */
export const holdBrain = async (queries: QueryClient, session: Session, handle: string, reason: string) => {
  await session.client.brain(handle).hold({ reason })
  await reloadBrain(queries, session, handle)
}

export const releaseBrain = async (queries: QueryClient, session: Session, handle: string) => {
  await session.client.brain(handle).release()
  await reloadBrain(queries, session, handle)
}

/** Deletes a Brain and removes its data from the cache. */
export const deleteBrain = async (queries: QueryClient, session: Session, handle: string) => {
  const { erased } = await session.client.brains.delete(handle)
  const { id } = session.organization
  await Promise.all(
    ['brains', 'names', 'agents', 'waiting'].map((area) => queries.invalidateQueries({ queryKey: [id, area] })),
  )
  return erased
}

/** Removes the data of a deleted Brain once no page shows it. */
export const removeBrainQueries = (queries: QueryClient, { organization }: Session, handle: string) =>
  queries.removeQueries({ queryKey: [organization.id, 'brain', handle] })

/** More than a person reads in a sentence. */
const maxNamed = 500

/** The users of a Brain: agents, triggers and schedules, and active keys. */
export const dependantsQuery = (
  session: Session,
  { handle, id }: { handle: string; id: string },
  queries: QueryClient,
) =>
  queryOptions({
    queryKey: [session.organization.id, 'brain', handle, 'dependants'],
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const { client } = session
      const [agents, { triggers }, { keys }, { webhooks }] = await Promise.all([
        queries.fetchInfiniteQuery(agentsQuery(session)),
        client.triggers.list({ signal }),
        client.brain(handle).keys.list({ order: 'desc', limit: maxNamed }, { signal }),
        client.brain(handle).webhooks.list({ signal }),
      ])
      return {
        agents: agents.pages
          .flatMap((page) => page.agents)
          .filter(({ brains }) => brains.some((brain) => brain.handle === handle))
          .map(({ name }) => name),
        triggers: triggers.filter(({ trigger }) => trigger.knowledgeGraphId === id).map(({ trigger }) => trigger.name),
        keys: keys.filter(({ status }) => status === 'active').map(({ name }) => name),
        webhooks: webhooks.map(({ url }) => url),
      }
    },
  })
