import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import { artifactPath, artifactType } from '@noema/contracts/artifacts.ts'
import type { DocumentArtifact } from '@noema/contracts/documents.ts'
import { ApiError } from '../../../shared/errors.ts'
import { findRefusedCredentials } from '../../writing/credentials/credentials.ts'
import { hashItemText } from '../../writing/snapshots/update-source.ts'
import { storeArtifact as store, type storeArtifact } from '../artifacts/upload.ts'
import { type Extractor, extractBytes } from '../extraction/extraction.ts'
import { findFormat, parseType } from '../extraction/find-format.ts'
import { FileRefused, type Refusal } from '../extraction/refusal.ts'
import type { Answer } from './get-page.ts'
import type { Pending } from './refresh-queries.ts'

// Reads the text of what a site answered, as texts of files are read, and keeps the file of which it was extracted.

export type ReadDeps = Parameters<typeof storeArtifact>[0] & {
  extractor: Extractor
  refusesCredentials: boolean
}

/** For whom a page is read. `keepsFile`: whether its file is kept, too. */
export type Reader = Pick<
  Parameters<typeof storeArtifact>[1],
  'organizationId' | 'subject' | 'by' | 'caps' | 'hold'
> & { keepsFile: boolean }

/** Why a page has no text. `isPassing`: it may have one later. */
export class PageRefused extends Error {
  readonly isPassing: boolean

  constructor(message: string, isPassing = false) {
    super(message)
    this.isPassing = isPassing
  }
}

const reasons: Readonly<Record<Refusal, string>> = {
  broken: 'The page is broken, or is not of the type that the site says.',
  encrypted: 'The file is encrypted.',
  memory: 'The file needs more memory than one extraction may use.',
  no_text: 'The page has no text.',
  stopped: 'The service was shutting down.',
  time: 'The page takes longer than one extraction may.',
  too_deep: 'The page is nested too deeply.',
  too_large: 'The file is too large once it is decompressed.',
  too_long: 'The page has more text than one document may have.',
  unsupported:
    'The page has a type of which no text is extracted. These are HTML, PDF, DOCX, XLSX, PPTX, EPUB, CSV, email and text.',
}

const extract = async (
  deps: ReadDeps,
  { subject }: Reader,
  file: { path: string; contentType: string; bytes: Buffer },
) => {
  try {
    return await extractBytes(deps, { subject, ...file })
  } catch (error) {
    if (error instanceof FileRefused) throw new PageRefused(reasons[error.refusal], error.refusal === 'stopped')
    // All slots of extractions are taken, or the service that reads scans does not answer.
    if (error instanceof ApiError) throw new PageRefused(error.message, true)
    throw error
  }
}

/** The path of the kept file of a page: its host and path, or a hash where that is no path of files. */
const toFilePath = (url: string): string => {
  const { host, pathname, search } = new URL(url)
  const hash = createHash('sha256').update(url).digest('hex').slice(0, 12)
  const { success, data } = artifactPath.safeParse(`web/${host}${pathname}${search === '' ? '' : `-${hash}`}`)
  return success ? data : `web/${host}/${hash}${extname(pathname).slice(0, 10)}`
}

const textual = ['html', 'text']

/** Keeps the file of a page that is not itself a text. Without room for files, the text alone is kept. */
const keepFile = async (
  deps: ReadDeps,
  { keepsFile, ...reader }: Reader,
  file: { path: string; contentType: string; bytes: Buffer },
): Promise<DocumentArtifact | undefined> => {
  const format = findFormat(file)
  const contentType = artifactType.safeParse(file.contentType).data
  if (!keepsFile || format === undefined || textual.includes(format) || contentType === undefined) return undefined
  const upload = {
    ...{ ...reader, path: toFilePath(file.path), contentType, source: 'url' as const, sha256: undefined },
    ...{ ifMatch: undefined, idempotencyKey: undefined, isStillAllowed: async () => true },
  }
  const bytes = (async function* () {
    yield file.bytes
  })()
  try {
    const { artifact } = await store(deps, upload, { bytes, length: file.bytes.length, maxBytes: file.bytes.length })
    return { id: artifact.id, path: artifact.path, version: artifact.version }
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

/** Checks whether a text or title differs from what is there already. */
type IsNews = (found: { hash: string; title: string | null }) => boolean

/** The text of an answer with what is known of it; undefined if it is no news. Throws PageRefused. */
export const readPage = async (
  deps: ReadDeps,
  reader: Reader,
  { answer, fetchedAt, url, isNews }: { answer: Answer; fetchedAt: Date; url: string; isNews: IsNews },
): Promise<(Pending & { text: string }) | undefined> => {
  const { headers, bytes } = answer
  const contentType = headers.get('content-type') ?? 'application/octet-stream'
  const path = new URL(answer.url).pathname
  const { text, title: found } = await extract(deps, reader, { path, contentType, bytes })
  if (text.trim() === '') throw new PageRefused(reasons.no_text)
  const title = found?.slice(0, 1_000).toWellFormed() ?? null
  const hash = await hashItemText(text)
  if (!isNews({ hash, title })) return undefined
  if (deps.refusesCredentials && (await findRefusedCredentials([{ at: [], value: { title: title ?? '', text } }])))
    throw new PageRefused('The page has what looks like a credential, and this service refuses such content.')
  const artifact = await keepFile(deps, reader, { path: answer.url, contentType, bytes })
  const isPlain = findFormat({ path, contentType }) === 'text' && parseType(contentType).type === 'text/plain'
  return {
    ...{ text, hash, title, contentType: isPlain ? 'text/plain' : 'text/markdown', fetchedAt: fetchedAt.toISOString() },
    ...(answer.url === url ? {} : { finalUrl: answer.url }),
    ...(artifact ? { artifact } : {}),
  }
}
