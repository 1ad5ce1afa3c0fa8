import { type SchemaField, type SchemaKind, type SchemaLink, schemaKinds } from '@noema/contracts/schema-kinds.ts'
import { z } from 'zod'
import { canonicalJson, type JsonObject } from '../../../shared/text/json.ts'
import { sha256Start } from './concepts.ts'
import type { ConceptFile } from './write-concepts.ts'
import { writeHead } from './write-head.ts'
import { toPlain } from './write-notes.ts'

// The kinds that a Brain declares, as a file at the root of its bundle. Frontmatter has them without loss; the text below is for people.

/** Records and documents are in folders, so no item has this path. */
export const schemaPath = 'schema.md'

/** The kinds that a file declares; of an exported one also its Brain, and whether it was edited since. */
export type SchemaFile = {
  path: string
  at: number
  kinds: readonly SchemaKind[]
  brain: string | undefined
  isEdited: boolean
}

/** The part of the service in the frontmatter of such a file. */
export const ownSchema = z.object({
  schema: schemaKinds,
  brain: z.string().max(200).optional(),
  hash: z.string().max(100).optional(),
})

const hashKinds = (kinds: readonly SchemaKind[]): string => sha256Start(canonicalJson(kinds))

const toFieldLine = ({ name, type, many, required, unique, values, description }: SchemaField): string => {
  const terms = [
    values === undefined ? type : `one of ${values.slice(0, 20).map(toPlain).join(', ')}`,
    ...(many ? ['several'] : []),
    ...(required ? ['required'] : []),
    ...(unique ? ['unique'] : []),
  ]
  return `* **${toPlain(name)}**: ${terms.join(', ')}${description === '' ? '' : `. ${toPlain(description)}`}\n`
}

const toLinkLine = ({ predicate, to, many }: SchemaLink): string =>
  `* **${toPlain(predicate)}**: ${many ? 'links' : 'a link'} to ${to.length === 0 ? 'any kind' : to.map(toPlain).join(', ')}\n`

const toSection = ({ kind, title, description, strict, fields, links }: SchemaKind): string => {
  const about = [
    ...(description === null || description === '' ? [] : [toPlain(description)]),
    ...(strict ? ['Records have no other fields and links.'] : []),
  ]
  const lines = [...fields.map(toFieldLine), ...links.map(toLinkLine)].join('')
  const name = title === null ? toPlain(kind) : `${toPlain(title)} (${toPlain(kind)})`
  return [`# ${name}\n`, ...about.map((text) => `${text}\n`), ...(lines === '' ? [] : [lines])].join('\n')
}

/** The file of some kinds. */
export const writeSchema = (
  kinds: readonly SchemaKind[],
  { brain, at }: { brain: string; at: string },
): ConceptFile => {
  const own = { schema: kinds, brain, hash: hashKinds(kinds) } as unknown as JsonObject
  const text = writeHead({ type: 'Schema', title: 'Schema' }, own) + kinds.map(toSection).join('\n')
  return { path: schemaPath, text, at, title: 'Schema' }
}

/** The kinds of a file that was parsed by `ownSchema`. */
export const toSchemaFile = (
  { path, at }: { path: string; at: number },
  { schema: kinds, brain, hash }: z.output<typeof ownSchema>,
): SchemaFile => ({ path, at, kinds, brain, isEdited: hash !== hashKinds(kinds) })
