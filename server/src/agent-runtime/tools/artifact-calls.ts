import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import type { Artifact } from '@noema/contracts/artifacts.ts'
import { artifactPath, maxTextPart } from '@noema/contracts/artifacts.ts'
import type { AppDeps } from '../../api/app-deps.ts'
import {
  findArtifactAt,
  findArtifactAtTime,
  listArtifactPage,
  openArtifact,
} from '../../features/files/artifacts/artifacts.ts'
import type { Sender } from '../../features/files/artifacts/receive-body.ts'
import { findUploaded, storeArtifact } from '../../features/files/artifacts/upload.ts'
import { readTextPart } from '../../features/files/extraction/read-part.ts'
import type { Subject } from '../../shared/concurrency/fair-limiter.ts'
import { refuseAt } from '../../shared/errors.ts'

// Lists, reads and writes files for a run.

/** A run as a reader and sender of files, in one operation of its journal. */
export type RunFiles = Required<Sender> & { subject: Subject; operationId: string }

/** The maximum number of files in one answer. */
const maxListed = 100

const toFacts = ({ id, path, version, contentType, bytes, createdAt }: Artifact) => ({
  ...{ id, path, version, contentType, bytes, createdAt },
})

/** A page of the files of the organization. */
export const listFilesForRun = async (
  deps: AppDeps,
  { organizationId }: RunFiles,
  { prefix, after = '' }: { prefix?: string | undefined; after?: string | undefined },
) => {
  const page = { after, limit: maxListed + 1, order: 'asc' } as const
  const files = await listArtifactPage(deps.db, { organizationId, prefix: prefix?.normalize('NFC') }, page)
  return { files: files.slice(0, maxListed).map(toFacts), hasMore: files.length > maxListed }
}

type Part = { path: string; version: number | undefined; offset: number }

/** A part of the text of a file. */
export const readFileForRun = async (deps: AppDeps, files: RunFiles, { path, version, offset }: Part) => {
  const { organizationId, subject, isStillAllowed } = files
  const row = await findArtifactAt(deps.db, { organizationId, path, version })
  const { bytes, contentType } = row
  const reader = { organizationId, subject, isStillAllowed, at: ['path'] }
  const { text, pages, nextOffset } = await readTextPart(deps, reader, row, { offset, size: maxTextPart })
  return {
    ...{ path, version: row.version, contentType, bytes, text },
    ...(pages === null ? {} : { pages }),
    ...(nextOffset === null ? {} : { nextOffset }),
  }
}

const types: Readonly<Record<string, string>> = {
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.tsv': 'text/tab-separated-values',
  '.html': 'text/html',
  '.json': 'application/json',
  '.xml': 'application/xml',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.gif': 'image/gif',
  '.pdf': 'application/pdf',
  '.zip': 'application/zip',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

const toType = (path: string, bytes: Buffer): string =>
  types[extname(path).toLowerCase()] ?? (isUtf8(bytes) ? 'text/plain' : 'application/octet-stream')

/** Whole files for a run, as they were at a time. Refuses more bytes together than `maxBytes`. */
export const readWholeFiles = async (
  deps: AppDeps,
  files: Pick<RunFiles, 'organizationId' | 'subject' | 'isStillAllowed'>,
  { paths, at, maxBytes }: { paths: readonly string[]; at: Date; maxBytes: number },
): Promise<{ path: string; bytes: Buffer }[]> => {
  const { organizationId } = files
  const rows = await Promise.all(paths.map((path) => findArtifactAtTime(deps.db, { organizationId, path, at })))
  const size = rows.reduce((sum, { bytes }) => sum + bytes, 0)
  if (size > maxBytes)
    throw refuseAt(['files'], `These files have ${size} bytes together; at most ${maxBytes} are read.`)
  const read: { path: string; bytes: Buffer }[] = []
  for (const row of rows) {
    const pieces = await Array.fromAsync(openArtifact(deps, files, row).read({ from: 0, to: row.bytes }))
    read.push({ path: row.path, bytes: Buffer.concat(pieces) })
  }
  return read
}

/** Writes a file into the folder of the run. The operation is the idempotency key, so that a repeated call writes nothing. */
export const writeFileForRun = async (
  deps: AppDeps,
  { operationId, ...sender }: RunFiles,
  { path: inside, content }: { path: string; content: string | Buffer },
) => {
  const { data: path } = artifactPath.safeParse(`runs/${sender.by.id}/${inside}`)
  if (path === undefined) throw refuseAt(['path'], 'This path is too long. Choose a shorter one.')
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const contentType = toType(path, bytes)
  const named = { path, contentType, source: 'run', ifMatch: undefined, idempotencyKey: operationId } as const
  const upload = { ...sender, ...named, sha256 }
  const sent = { bytes: toStream(bytes), length: bytes.length, maxBytes: bytes.length }
  const artifact = (await findUploaded(deps, upload)) ?? (await storeArtifact(deps, upload, sent)).artifact
  return toFacts(artifact)
}

async function* toStream(bytes: Buffer) {
  if (bytes.length > 0) yield bytes
}
