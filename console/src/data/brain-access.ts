import type { BrainRole } from '@noema/contracts/access.ts'
import type { changeBrainAccess } from '@noema/contracts/brain-access.ts'
import type { BodyInput } from '@noema/contracts/endpoint.ts'
import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { paging } from './paging.ts'

// Access per person: the members of a Brain, and the restricted Brains of an organization.

/** The access of a Brain: to whom it is open, and its members with their roles. */
export const accessQuery = ({ organization, client }: Session, handle: string) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'access'],
    queryFn: async ({ signal }) => (await client.brain(handle).access.get({ signal })).access,
  })

/** The Brains that are open to named members only, by handle. For owners. */
export const restrictedBrainsQuery = ({ organization, client }: Session) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'restricted-brains'],
    queryFn: ({ pageParam, signal }) => client.brains.listRestricted({ after: pageParam, limit: 200 }, { signal }),
    ...paging,
  })

/** Reloads the queries that show who may use a Brain, and the lists that leave Brains out. */
const reload = (queries: QueryClient, { organization: { id } }: Session, handle: string) =>
  Promise.all(
    [['brain', handle], ['brains'], ['restricted-brains'], ['names']].map((area) =>
      queries.invalidateQueries({ queryKey: [id, ...area] }),
    ),
  )

type Given = BodyInput<typeof changeBrainAccess>

/** Restricts a Brain to named members, or opens it to its organization. */
export const changeAccess = async (queries: QueryClient, session: Session, handle: string, given: Given) => {
  await session.client.brain(handle).access.patch(given)
  await reload(queries, session, handle)
}

export const putBrainMember = async (
  queries: QueryClient,
  session: Session,
  handle: string,
  { member, role }: { member: string; role: BrainRole },
) => {
  await session.client.brain(handle).members.put(member, { role })
  await reload(queries, session, handle)
}

export const removeBrainMember = async (queries: QueryClient, session: Session, handle: string, member: string) => {
  await session.client.brain(handle).members.remove(member)
  // The pages of a Brain that the person left would ask for it again.
  if (member !== session.userId) await reload(queries, session, handle)
}

/** Makes the person, an owner of the organization, a manager of a restricted Brain. */
export const takeOverBrain = async (queries: QueryClient, session: Session, handle: string) => {
  await session.client.brain(handle).access.takeOver()
  await reload(queries, session, handle)
}
