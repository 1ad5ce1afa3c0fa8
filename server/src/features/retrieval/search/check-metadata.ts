import type { Db } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import type { SchemaCache } from '../../knowledge/schema/schema-cache.ts'
import type { MetadataFilter } from '../lexical-index/types.ts'
import { indexNotReady } from '../query/predicates.ts'

export type MetadataDeps = { db: Db; schemas: SchemaCache; publicUrl: string }

/** The kind whose indexed fields are the keys of metadata that documents are filtered by. */
const documentKind = 'document'

/** Refuses a filter by metadata that the schema does not declare: searches keep the values of such keys in memory. */
export const checkMetadata = async (
  { db, schemas, publicUrl }: MetadataDeps,
  { brainId, schemaVersion }: BrainRow,
  metadata: MetadataFilter,
): Promise<void> => {
  const schema = await schemas(db, brainId, schemaVersion)
  const fields = schema.byKind.get(documentKind)?.fields
  for (const key of Object.keys(metadata))
    if (!fields?.get(key)?.indexed)
      throw indexNotReady(
        key,
        `the schema declares no indexed field of that name for the kind ${documentKind}, which describes the metadata of documents. Declare it (see ${publicUrl}/docs/guides/schema), or leave it out.`,
        ['metadata', key],
      )
}
