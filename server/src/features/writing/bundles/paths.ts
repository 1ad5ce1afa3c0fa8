import { createHash } from 'node:crypto'

// The path of an item in a bundle, from the item alone, so that links between files need no list of them. Names of kinds and slugs have no
// ~ and do not begin with _, so these mark the names that are made.

const documentFolder = 'documents'
/** The names that the format keeps for lists. */
const reserved = new Set(['index', 'log'])

const toHashName = (id: string): string => `_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`

const toKindFolder = (kind: string): string => (kind.toLowerCase() === documentFolder ? `${kind}~` : kind)

/** The kind of a folder of records; undefined for the folder of documents. */
export const toFolderKind = (folder: string): string | undefined =>
  folder === documentFolder ? undefined : folder.replace(/~$/, '')

/** The path of a record: its kind, and its slug or a name that is made of its id. */
export const toRecordPath = ({ id, kind, slug }: { id: string; kind: string; slug: string | null }): string => {
  const own = slug === null ? (/^[a-z0-9._-]{1,100}$/.test(id) ? `_${id}` : toHashName(id)) : slug
  return `${toKindFolder(kind)}/${reserved.has(own) ? `${own}~` : own}.md`
}

/** The path of a further file with statements about a record: the second has the number 2. */
export const toNextPath = (path: string, number: number): string => path.replace(/\.md$/, `~${number}.md`)

const isPlainPart = (part: string, index: number, { length }: readonly string[]): boolean =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(part) && (index === length - 1 || !part.endsWith('.md'))

/** The path of a document: its id, if that is a path. */
export const toDocumentPath = (id: string): string => {
  const parts = id.split('/')
  if (!parts.every(isPlainPart)) return `${documentFolder}/${toHashName(id)}.md`
  const name = parts.at(-1) ?? ''
  const isConcept = name.endsWith('.md') && !isListFile(name)
  return `${documentFolder}/${isConcept ? id : `${id}~.md`}`
}

/** True for the files of a bundle that list or report others. */
export const isListFile = (path: string): boolean => /(?:^|\/)(?:index|log)\.md$/.test(path)
