import type { BrainClient, Client } from '@noema/sdk'
import { NotFoundError, UnauthorizedError } from '@noema/sdk/errors.ts'
import { isUnreadable, type Skipped } from './find-files.ts'
import { readDocument } from './read-document.ts'
import { splitParts } from './split-parts.ts'

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
  const send = () => client.brain(brain).snapshots.plan(source, body, { signal })
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

async function* readDocuments({ folder, source, files, skipped }: Upload) {
  for (const file of files) {
    const read = await readDocument(folder, source, file)
    if ('reason' in read) skipped.push(read)
    else yield read
  }
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
    const items = documents.map(({ item }) => item)
    const complete = isLast && upload.retire && isWhole(upload)
    const snapshot = planned?.snapshot.snapshot
    planned = await sendPart(upload, { items, complete, ...(snapshot === undefined ? {} : { snapshot }) })
    files += items.length
    onSent(files)
  }
  return planned && { ...planned, files }
}
