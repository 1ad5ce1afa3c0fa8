import type { BrainClient, Client } from '@noema/sdk'
import { ApiError, NotFoundError, UnauthorizedError } from '@noema/sdk/errors.ts'
import { isExtracted, isUnreadable, type Skipped } from './find-files.ts'
import { readDocument } from './read-document.ts'
import { splitParts } from './split-parts.ts'
import { listKnown, uploadArtifact } from './upload-artifact.ts'

type PlanBody = Parameters<BrainClient['snapshots']['plan']>[1]

/** The service's plan for a folder. */
export type Planned = Awaited<ReturnType<BrainClient['snapshots']['plan']>>

/** The target of a folder: its files as the documents of this source in this Brain. */
export type Upload = {
  client: Client
  brain: string
  source: string
  folder: string
  files: readonly string[]
  /** Files that cannot be read join these. */
  skipped: Skipped[]
  /** Create the Brain where there is none. */
  create: boolean
  /** Plan to retire the documents of files that are gone. */
  retire: boolean
  signal: AbortSignal
}

/** The time for one part of a plan. The text of a file in it may wait for others and then take minutes. */
const planMilliseconds = 600_000

const createBrain = async (client: Client, handle: string, signal: AbortSignal) => {
  await client.brains.put(handle, {}, { signal }).catch((error: unknown) => {
    if (error instanceof UnauthorizedError) {
      error.message = `A Brain key cannot create the Brain "${handle}": use a management key (nsk_…). ${error.message}`
    }
    throw error
  })
}

/** Sends one part; first creates a missing Brain if requested. */
const sendPart = async ({ client, brain, source, create, signal }: Upload, body: PlanBody): Promise<Planned> => {
  const send = () => client.brain(brain).snapshots.plan(source, body, { signal, timeoutMs: planMilliseconds })
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof NotFoundError) || body.snapshot !== undefined) throw error
    if (!create) {
      error.message = `${error.message} Add --create to create the Brain "${brain}".`
      throw error
    }
    await createBrain(client, brain, signal)
    return await send()
  }
}

async function* readDocuments(upload: Upload) {
  const { client, folder, source, files, skipped, signal } = upload
  const known = files.some(isExtracted) ? await listKnown(client, source, signal) : undefined
  for (const file of files) {
    const read = isExtracted(file)
      ? await uploadArtifact(upload, file, known)
      : await readDocument(folder, source, file)
    if ('reason' in read) skipped.push(read)
    else yield read
  }
}

/** Why the service extracts no text from a file. Throws other errors. */
const toRefusal = (error: unknown): string => {
  if (error instanceof ApiError && error.code?.startsWith('file_')) return `has no text here: ${error.message}`
  throw error
}

/** Checks whether the folder was read completely: otherwise a document without a file may belong to an unreadable one. */
export const isWhole = ({ skipped }: Pick<Upload, 'skipped'>): boolean => !skipped.some(isUnreadable)

/**
 * Uploads a folder as a snapshot of its source, part by part, and gives the plan of the whole with the number of files in
 * it; undefined when none could be read, and nothing was sent.
 */
export const uploadFolder = async (
  upload: Upload,
  onSent: (files: number) => void,
): Promise<(Planned & { files: number }) | undefined> => {
  let planned: Planned | undefined
  let files = 0
  for await (const { documents, isLast } of splitParts(readDocuments(upload))) {
    const complete = isLast && upload.retire && isWhole(upload)
    const send = (items: PlanBody['items']) => {
      const snapshot = planned?.snapshot.snapshot
      return sendPart(upload, { items, complete, ...(snapshot === undefined ? {} : { snapshot }) })
    }
    const refusal = await send(documents.map(({ item }) => item)).then((answer) => {
      planned = answer
      files += documents.length
    }, toRefusal)
    if (refusal !== undefined) {
      upload.skipped.push(...documents.map(({ file }) => ({ file, reason: refusal })))
      if (isLast && planned) planned = await send([])
    }
    onSent(files)
  }
  return planned && { ...planned, files }
}
