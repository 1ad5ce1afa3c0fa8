import { hash } from 'node:crypto'
import { extname } from 'node:path'

// Names of a skill in its Brain: the ids of its documents, their source, and the version of all together.

/** The beginning of the ids of a skill's documents. Every document with such an id is a file of the skill. */
export const toFolder = (name: string): string => `skills/${name}/`

/** The source of documents that were written as a skill. */
export const toSource = (name: string): string => `skill:${name}`

/** A file's line in the version of its skill: its path, and the version of its document. */
export const toLine = ({ path, version, digest }: { path: string; version: number; digest: string }): string =>
  `${path} ${version} ${digest}\n`

/** The id of the versions of all files, from their lines in the order of the bytes of their paths. */
export const toVersionId = (lines: string): string => `skv_${hash('sha256', lines).slice(0, 32)}`

/** The order of files: that of the bytes of their paths. */
export const byPath = (a: { path: string }, b: { path: string }): number =>
  Buffer.compare(Buffer.from(a.path), Buffer.from(b.path))

const types: Readonly<Record<string, string>> = {
  '.md': 'text/markdown',
  '.json': 'application/json',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.csv': 'text/csv',
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.xml': 'application/xml',
  '.sql': 'application/sql',
  '.sh': 'application/x-sh',
  '.py': 'text/x-python',
}

/** The media type of a file, by its name. */
export const toContentType = (path: string): string => types[extname(path).toLowerCase()] ?? 'text/plain'
