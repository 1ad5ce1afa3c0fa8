import { z } from 'zod'
import { timeInput } from './common.ts'
import { forModels } from './for-models.ts'

// The filters of reads: search, context and query take them by the same names.

/** The most keys of metadata that a read filters by. */
export const maxMetadataFilters = 10

/** Filters that every kind of content has a value for. */
export const contentFilters = {
  source: z
    .string()
    .min(1, 'source is the name of a source.')
    .max(500, 'source has at most 500 characters.')
    .optional()
    .meta(forModels('Only from this source: its exact name')),
  since: timeInput.optional().meta(forModels('Only what happened, or else was created, at or after this time')),
  until: timeInput.optional().meta(forModels('Only what happened, or else was created, before this time')),
}

const metadataValue = z.union(
  [z.string().max(500), z.number(), z.boolean()],
  'A value of metadata is a text, a number, true or false.',
)

/** The filters of a search for content of any type. */
export const searchFilters = {
  ...contentFilters,
  metadata: z
    .record(z.string().min(1).max(200), metadataValue)
    .refine(
      (given) => Object.keys(given).length <= maxMetadataFilters,
      `metadata has at most ${maxMetadataFilters} keys.`,
    )
    .optional()
    .meta(forModels('Only documents whose metadata has these values; the schema says which keys can be used')),
}

/** The description of the filters. */
export const filtersDescription =
  '`source`, `since`, `until`, `kinds`, `types` and `metadata` filter what is searched, before anything is ranked. The ' +
  'source of a document is the name of its `source`, that of anything its `provenance.source`. `since` and `until` ' +
  "compare a document's `occurredAt`, a statement's `validFrom`, or else when it was created. A key of metadata can be " +
  'used if the schema declares it as an indexed field of the kind `document`, else the response is 400 `index_not_ready`.'
