import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'

// The schemas of the organization, from which Brains are forked.

export const schemasKey = ({ organization }: Session) => [organization.id, 'schemas'] as const

/** The schemas of the organization by name, each with its newest version. */
export const organizationSchemasQuery = (session: Session) =>
  queryOptions({
    queryKey: [...schemasKey(session), 'list'],
    queryFn: async ({ signal }) => (await session.client.schemas.list({ limit: 500 }, { signal })).schemas,
  })

/** One schema with its kinds: the newest version, or an earlier one. */
export const organizationSchemaQuery = (session: Session, name: string, version?: number) =>
  queryOptions({
    queryKey: [...schemasKey(session), 'schema', name, version],
    queryFn: async ({ signal }) => (await session.client.schemas.get(name, { version }, { signal })).schema,
  })

/** The number of Brains that are asked which schema they were forked from. */
export const maxAskedBrains = 50
const atOnce = 5

/** The Brains that were forked from each schema, with the version that they started from. */
export type SchemaUse = { handle: string; schema: string; version: number; currentVersion: number | undefined }

/** Which Brains use the schemas of the organization. No list has it, so the first Brains are asked one by one. */
export const schemaUseQuery = (session: Session) =>
  queryOptions({
    queryKey: [...schemasKey(session), 'use'],
    queryFn: async ({ signal }) => {
      const { client } = session
      const { brains, hasMore } = await client.brains.list({ limit: maxAskedBrains }, { signal })
      const used: SchemaUse[] = []
      for (let from = 0; from < brains.length; from += atOnce)
        for (const { handle, lineage } of await Promise.all(
          brains.slice(from, from + atOnce).map(async ({ handle }) => ({
            handle,
            ...(await client.brain(handle).schema.lineage({ signal })),
          })),
        ))
          if (lineage.forkedFrom !== null)
            used.push({ handle, ...lineage.forkedFrom, currentVersion: lineage.baseline.currentVersion ?? undefined })
      return { used, hasMore }
    },
    staleTime: 60_000,
  })
