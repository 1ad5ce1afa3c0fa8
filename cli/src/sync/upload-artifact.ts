import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Client } from '@noema/sdk'
import { UnauthorizedError } from '@noema/sdk/errors.ts'
import { mediaTypes } from '../media-types.ts'
import { type Skipped, toReason } from './find-files.ts'
import { type ReadDocument, toIds } from './read-document.ts'

type Artifact = Awaited<ReturnType<Client['artifacts']['list']>>['artifacts'][number]

const maxFileBytes = 64 * 1024 * 1024
const maxPathLength = 500

/** The files of a source that the organization has, by path; undefined for a key that does not reach files. */
type Known = ReadonlyMap<string, Artifact> | undefined

/** Lists the files of a source. */
export const listKnown = async (client: Client, source: string, signal: AbortSignal): Promise<Known> => {
  const known = new Map<string, Artifact>()
  try {
    for await (const artifact of client.artifacts.list({ prefix: `${source}/`, limit: 500 }, { signal }))
      known.set(artifact.path, artifact)
    return known
  } catch (error) {
    if (error instanceof UnauthorizedError) return undefined
    throw error
  }
}

type Upload = { client: Client; source: string; folder: string; signal: AbortSignal }

const readBytes = async (path: string): Promise<Uint8Array<ArrayBuffer> | { reason: string }> => {
  if ((await stat(path)).size > maxFileBytes) return { reason: 'is larger than 64 MiB' }
  return new Uint8Array(await readFile(path))
}

/** Uploads a file unless the organization has it in this version, and answers the item of a snapshot that names it. */
export const uploadArtifact = async (
  { client, source, folder, signal }: Upload,
  file: string,
  known: Known,
): Promise<ReadDocument | Skipped> => {
  // Without the list of files, nothing of the folder may be retired.
  if (!known) return { file, reason: 'cannot be read with a Brain key: use a management key (nsk_…)' }
  const path = `${source}/${file}`.normalize('NFC')
  if (path.length > maxPathLength) return { file, reason: `has a path of more than ${maxPathLength} characters` }
  const bytes = await readBytes(join(folder, file)).catch((error: unknown) => ({ reason: toReason(error) }))
  if ('reason' in bytes) return { file, reason: bytes.reason }
  const contentType = mediaTypes[extname(file).toLowerCase()] ?? 'application/octet-stream'
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const before = known.get(path)
  const isSame = before?.sha256 === sha256 && before.contentType === contentType
  const { id, version } = isSame
    ? before
    : (await client.artifacts.upload(bytes, { path, sha256, source: 'folder' }, { contentType, signal })).artifact
  const item = { ...toIds(source, file), artifact: id, artifactVersion: version }
  return { file, item, bytes: Buffer.byteLength(JSON.stringify(item)), isAlone: true }
}
