import { z } from 'zod'
import { changeRef } from './changes.ts'
import { asOf, itemId, largeBodyLimit, stateVersion } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { contentErrors } from './error-codes.ts'

// Bundles: a part of a Brain as a folder of Markdown files with frontmatter, in the Open Knowledge Format 0.2.

/** The limits of a bundle that is written to a Brain. A larger folder is written in several calls. */
export const bundleLimits = {
  files: 5_000,
  operations: 10_000,
  pathLength: 500,
  /** UTF-16 units of frontmatter that is YAML. Frontmatter that is JSON has no limit but that of its record. */
  yamlLength: 4_096,
  /** Items that an answer lists. */
  listed: 1_000,
} as const

const pathRule = `A path has 1 to ${bundleLimits.pathLength} characters in parts between slashes, such as person/ada.md, without . and .. as a part.`

const isPath = (path: string): boolean =>
  path.length <= bundleLimits.pathLength &&
  path.isWellFormed() &&
  !/[\p{Cc}\\]/u.test(path) &&
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')

/** The path of a file inside a bundle. */
export const bundlePath = z.string().refine(isPath, pathRule).describe('The path inside the bundle.')

export const bundleFile = z
  .object({ path: bundlePath, text: z.string().describe('The text of the file, in Markdown with frontmatter.') })
  .describe('A file of a bundle.')
export type BundleFile = z.infer<typeof bundleFile>

/**
 * The effect of a file on one item: `behind` if the Brain has a newer version and the file was not edited, `conflict` if both
 * were edited since the export.
 */
export const bundleOp = z.enum(['add', 'update', 'unchanged', 'behind', 'conflict'])
export type BundleOp = z.infer<typeof bundleOp>

const count = (what: string) => z.int().describe(`How many items ${what}.`)

export const bundleCounts = z.object({
  add: count('the bundle adds'),
  update: count('it updates'),
  unchanged: count('are as in the Brain'),
  behind: count('are newer in the Brain, and stay'),
  conflict: count('changed in both'),
})
export type BundleCounts = z.infer<typeof bundleCounts>

/** The comparison of the kinds that a bundle declares with the schema of the Brain. */
export const bundleSchema = z.object({
  missing: z
    .array(z.string())
    .describe('Declared by the bundle alone: kinds as `kind`, fields as `kind.field`, links as `kind->predicate`.'),
  differing: z.array(z.string()).describe('Declared in another way by the Brain, which keeps it.'),
  change: changeRef
    .nullable()
    .describe('The proposal to declare what is missing. Null if nothing is, with `plan`, or without `admin`.'),
})
export type BundleSchema = z.infer<typeof bundleSchema>

/** The outcome of writing a bundle. */
export const bundleWrite = z
  .object({
    outcome: z.enum(['planned', 'landed', 'staged']).describe('`landed` is applied, `staged` waits for review.'),
    change: changeRef.nullable().describe('The change; null if there is none.'),
    stateVersion: stateVersion.nullable().describe('The state of the Brain; null while the change waits.'),
    counts: bundleCounts.describe('How many of each there are.'),
    items: z
      .array(
        z.object({
          path: z.string().describe('The file.'),
          type: z.enum(['record', 'statement', 'document']).describe('The type.'),
          id: itemId,
          op: bundleOp.describe('The effect.'),
        }),
      )
      .describe(`The first ${bundleLimits.listed} items that are not unchanged.`),
    schema: bundleSchema.nullable().describe('The kinds of the bundle; null if it has none.'),
    skipped: z.array(z.string()).describe('Files that are not concepts, by path: up to 100.'),
  })
  .describe('The outcome of writing a bundle.')

const nameList = z
  .string()
  .max(20_000)
  .transform((text) => text.split(',').filter((name) => name !== ''))
  .refine((names) => names.length >= 1 && names.length <= 100, 'Name 1 to 100, separated by commas.')

export const exportBundle = defineEndpoint({
  method: 'GET',
  path: '/v1/brains/{handle}/bundle',
  summary: 'Export a part of a Brain as Markdown',
  description:
    'Streams current records with their statements, and documents, as files in the Open Knowledge Format: a gzipped tar. ' +
    'With `kinds` or `sources` only those. `schema.md` has the declared kinds. It has no history.',
  access: 'management',
  query: z.object({
    kinds: nameList.optional().describe('Only records of these kinds, separated by commas.'),
    sources: nameList.optional().describe('Only documents of these sources, separated by commas.'),
    asOf,
  }),
  file: 'answer',
  status: [200],
  result: z.string().describe('The bytes.'),
})

export const importBundle = defineEndpoint({
  method: 'POST',
  path: '/v1/brains/{handle}/bundle',
  summary: 'Write a bundle of Markdown files as one change',
  description:
    'Writes files in the Open Knowledge Format as one change, all or nothing; `plan` only answers the effect. Nothing is ' +
    'deleted. Files that were not exported from a Brain become documents, or records if their folder is their `type`. ' +
    'Items that changed in the Brain since the export are 409 `stale_version`, unless `overwrite`. Kinds that the Brain does ' +
    'not declare become a proposal of their own.',
  access: { capabilities: ['read', 'write'] },
  body: z.object({
    files: z
      .array(bundleFile)
      .min(1, 'A bundle has files.')
      .max(bundleLimits.files, `A call has at most ${bundleLimits.files} files. Split the bundle.`)
      .describe('The files.'),
    source: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('The source of documents that were not exported from a Brain.'),
    plan: z.boolean().optional().describe('True to change nothing.'),
    overwrite: z.boolean().optional().describe('Also write over what changed in the Brain since the export.'),
    review: z.boolean().optional().describe('True: the change waits for review in any mode of the Brain.'),
    reason: z.string().min(1).max(2000).optional().describe('Why, for reviewers.'),
  }),
  bodyLimit: largeBodyLimit,
  idempotencyKey: 'header',
  errors: [...contentErrors, 'stale_version'],
  status: [200, 202],
  result: bundleWrite,
})

/** The endpoints of bundles by the names that clients have for them. */
export const bundleEndpoints = { export: exportBundle, import: importBundle } as const
