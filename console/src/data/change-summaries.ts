import type { OrganizationChange } from '@noema/contracts/organization-changes.ts'
import type { Client } from '@noema/sdk'
import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { createGatherer, createGatherers } from './gather.ts'

/** The maximum of the service for one call. */
const maxIds = 100

const askForChange = createGatherers((client: Client, handle) =>
  createGatherer<OrganizationChange>(async (ids) => {
    const { changes } = await client.changes.list({ brain: handle, ids, limit: maxIds })
    return new Map(changes.map((change) => [change.id, change]))
  }, maxIds),
)

/** The author and the reason of an applied change, for a row of a history; null if it is not known. One call reads those of all rows. */
export const changeSummaryQuery = ({ organization, client }: Session, handle: string, id: string) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'change-summaries', id],
    queryFn: async () => (await askForChange(client, handle)(id)) ?? null,
    // It is over: neither its author nor its reason changes.
    staleTime: Number.POSITIVE_INFINITY,
  })
