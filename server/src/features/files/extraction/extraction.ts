import { basename } from 'node:path'
import type { DocumentArtifact } from '@noema/contracts/documents.ts'
import type { Config } from '../../../config/config.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Subject } from '../../../shared/concurrency/fair-limiter.ts'
import {
  type ApiError,
  type Path,
  unauthorized,
  unavailable,
  unknownReference,
  validation,
} from '../../../shared/errors.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db } from '../../../storage/database.ts'
import type { OpenShares } from '../../platform/limits/limits.ts'
import type { IsStillAllowed, TransferLimits } from '../../writing/transfers/transfer-limits.ts'
import { openArtifact } from '../artifacts/artifacts.ts'
import type { ObjectStore } from '../artifacts/object-store.ts'
import { findVersion, type VersionRow } from '../artifacts/version-queries.ts'
import { askService } from './extraction-service.ts'
import { takeExtractionSlot } from './extraction-slot.ts'
import { findFormat, parseType } from './find-format.ts'
import type { Extracted } from './process-messages.ts'
import { createRecentTexts, type RecentTexts } from './recent-texts.ts'
import { FileRefused, type Refusal } from './refusal.ts'
import { runExtraction } from './run-extraction.ts'

// Extracts the text of files. A separate process reads each file. The settings limit how many run at once, and organizations take turns.

/** Extracts texts. */
export type Extractor = {
  /** Extracts the text of a file, whose bytes are read when it is its turn. Throws FileRefused, and what reading the bytes throws. */
  extract(
    file: Pick<VersionRow, 'path' | 'contentType'>,
    read: () => AsyncIterable<Buffer>,
    slot: AbortSignal,
  ): Promise<Extracted>
  /** The seconds that an extraction may take. */
  maxSeconds: number
  /** The texts of files that are read part by part. */
  recent: RecentTexts
  /** Ends its processes and calls. */
  close(): void
}

type Options = Config['extraction'] & { log: Log }

/** Creates an extractor. It starts nothing yet. */
export const createExtractor = ({ limits, service, log }: Options): Extractor => {
  const closed = new AbortController()
  return {
    extract: async (file, read, slot) => {
      const signal = AbortSignal.any([closed.signal, slot])
      const run = (bytes: AsyncIterable<Uint8Array>, options: Parameters<typeof runExtraction>[1]) =>
        runExtraction(bytes, options, { limits, signal })
      const readPages = async (html: Uint8Array) => {
        const once = (async function* () {
          yield html
        })()
        return run(once, { format: 'pages', contentType: 'text/html', charset: 'utf-8' })
      }
      const format = findFormat(file)
      const refusal = format
        ? await run(read(), { format, ...file, ...parseType(file.contentType) }).catch((error: unknown) => {
            // A server with optical recognition reads the words of a scan.
            if (service && error instanceof FileRefused && error.refusal === 'no_text') return undefined
            throw error
          })
        : undefined
      if (refusal) return refusal
      if (!service) throw new FileRefused('unsupported')
      const pieces = await Array.fromAsync(read())
      const timeout = AbortSignal.any([signal, AbortSignal.timeout(limits.seconds * 1000)])
      const how = { log, signal: timeout, maxBytes: limits.maxCharacters * 12, readPages }
      const answered = await askService(service, { ...file, bytes: new Uint8Array(Buffer.concat(pieces)) }, how)
      if (answered.text.length > limits.maxCharacters) throw new FileRefused('too_long')
      return answered
    },
    maxSeconds: limits.seconds,
    recent: createRecentTexts(limits),
    close: () => closed.abort(),
  }
}

/** The reasons of refusals, for the owner of the file. */
const reasons: Readonly<Record<Exclude<Refusal, 'stopped'>, [code: RefusalCode, text: string]>> = {
  broken: ['file_unreadable', 'is broken, or is not of the type that it is said to be. Upload it again.'],
  encrypted: ['file_encrypted', 'is encrypted. Upload it without its password.'],
  memory: ['file_unreadable', 'needs more memory than one extraction may use. Split it.'],
  no_text: [
    'file_unreadable',
    'has no text, as a scan has none. The operator can set NOEMA_EXTRACT_URL for such files.',
  ],
  time: ['file_unreadable', 'takes longer than one extraction may. Split it.'],
  too_deep: ['file_unreadable', 'is nested too deeply to be a document.'],
  too_large: ['file_unreadable', 'is too large once it is decompressed. Split it.'],
  too_long: ['file_unreadable', 'has more text than one document may have. Split it.'],
  unsupported: [
    'file_unsupported',
    'has a type of which no text is extracted. Send a PDF, DOCX, XLSX, PPTX, EPUB, HTML, CSV, email or text.',
  ],
}

type RefusalCode = 'file_encrypted' | 'file_unreadable' | 'file_unsupported'

const toError = (refusal: Refusal, path: string, at: Path): ApiError => {
  if (refusal === 'stopped') return unavailable('The service is shutting down. Retry the request.')
  const [code, text] = reasons[refusal]
  return validation(`The file ${JSON.stringify(path)} ${text}`, {
    code,
    details: [{ path: at, message: text }],
  })
}

type Deps = {
  db: Db
  clock: Clock
  objects: ObjectStore
  open: OpenShares
  limits: { transfers: TransferLimits }
  extractor: Extractor | undefined
}

/** The version of a file to read, and its reader. */
export type ArtifactRequest = {
  organizationId: string
  subject: Subject
  id: string
  version?: number | undefined
  isStillAllowed: IsStillAllowed
  /** The argument that names the file. */
  at: Path
  /** True of a caller who reads the text part by part: the next call finds it. */
  readsInParts?: boolean
}

/** The refusal of a file that is not there, or not for this caller. */
export const noSuchFile = (id: string, at: Path): ApiError =>
  unknownReference(at, `This organization has no file ${JSON.stringify(id)}, or not in this version.`)

/** The text of a file, with the details of the document that it becomes. */
type ArtifactText = { text: string; title: string; contentType: string; artifact: DocumentArtifact }

/** The version of a file that a call names. */
export const findFile = async (db: Db, request: ArtifactRequest): Promise<VersionRow> => {
  const row = await findVersion(db, request)
  if (!row) throw noSuchFile(request.id, request.at)
  return row
}

const toArtifactText = ({ id, path, version, ...row }: VersionRow, { text, title }: Extracted): ArtifactText => {
  const contentType = findFormat({ path, ...row }) === 'text' ? parseType(row.contentType).type : 'text/markdown'
  return {
    text,
    title: title ?? basename(path),
    contentType: contentType === 'text/plain' && !path.endsWith('.md') ? contentType : 'text/markdown',
    artifact: { id, path, version },
  }
}

/** Extracts the text of a version of a file. */
export const extractArtifact = async (deps: Deps, request: ArtifactRequest): Promise<ArtifactText> => {
  const { db, extractor } = deps
  if (!extractor)
    throw validation('Send the other parts of the document with at most 128 KiB when it comes from a file.')
  const row = await findFile(db, request)
  const { version } = row
  const file = { ...request, version }
  const recent = extractor.recent.find(file)
  if (recent) return toArtifactText(row, recent)
  const slot = await takeExtractionSlot(deps.open, request.subject, extractor.maxSeconds)
  try {
    const read = () => openArtifact(deps, request, row).read({ from: 0, to: row.bytes })
    // The call before this one may have extracted it.
    const extracted = extractor.recent.find(file) ?? (await extractor.extract(row, read, slot.signal))
    // Much may have happened since: the end of the caller's access, and of the file.
    if ((await request.isStillAllowed()) === false)
      throw unauthorized('The key or session that began this does not work any more. Begin again with one that does.')
    await findFile(db, file)
    if (request.readsInParts) extractor.recent.keep(file, extracted)
    return toArtifactText(row, extracted)
  } catch (error) {
    if (slot.signal.aborted) throw deps.open.refuse('extractions')
    throw error instanceof FileRefused ? toError(error.refusal, row.path, request.at) : error
  } finally {
    slot.leave()
  }
}

/** Extracts the text of bytes that are no file of the organization. Throws FileRefused, and where all slots are taken. */
export const extractBytes = async (
  { open, extractor }: { open: OpenShares; extractor: Extractor },
  { subject, bytes, ...file }: { subject: Subject; path: string; contentType: string; bytes: Buffer },
): Promise<Extracted> => {
  const slot = await takeExtractionSlot(open, subject, extractor.maxSeconds)
  try {
    const read = async function* () {
      yield bytes
    }
    return await extractor.extract(file, read, slot.signal)
  } catch (error) {
    if (slot.signal.aborted) throw open.refuse('extractions')
    throw error
  } finally {
    slot.leave()
  }
}

/** Checks whether a version of a file is still there. */
export const hasArtifact = async (
  db: Db,
  organizationId: string,
  { id, version }: DocumentArtifact,
): Promise<boolean> => (await findVersion(db, { organizationId, id, version })) !== undefined
