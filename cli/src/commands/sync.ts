import { basename, resolve } from 'node:path'
import type { Client } from '@noema/sdk'
import { NotFoundError, UnauthorizedError } from '@noema/sdk/errors.ts'
import { type Context, clientOf, type GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { isLively, writeJson, writeLine } from '../output.ts'
import { batchesOf } from '../sync/batches.ts'
import { contentTypes, findFiles, type Skipped } from '../sync/find-files.ts'
import { startProgress } from '../sync/progress.ts'
import { type ReadDocument, readDocument } from '../sync/read-document.ts'

export type SyncOptions = GlobalOptions & { brain: string; source?: string; create?: boolean }

/**
 * What a sync did. `files` were read: each was created, updated, unchanged, or (in a Brain that reviews its writes) staged.
 * `stateVersion` is the Brain's after the last batch that landed, null where none did.
 */
type Summary = {
  files: number
  created: number
  updated: number
  unchanged: number
  staged: number
  skipped: Skipped[]
  stateVersion: number | null
}

const sourceOf = (folder: string, given: string | undefined): string => {
  const source = given ?? basename(folder)
  if (source.length < 1 || source.length > 100)
    throw new UsageError('Name the source with --source: 1 to 100 characters.')
  return source
}

const findIn = async (folder: string) => {
  const found = await findFiles(folder).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new UsageError(`${folder} cannot be read as a folder${code}.`)
  })
  if (found.files.length > 0 || found.skipped.length > 0) return found
  throw new UsageError(`${folder} holds no files to sync (${Object.keys(contentTypes).join(', ')}).`)
}

const createBrain = async (client: Client, handle: string, signal: AbortSignal) => {
  await client.brains.put(handle, {}, { signal }).catch((error: unknown) => {
    if (error instanceof UnauthorizedError) {
      error.message = `A Brain key cannot create the Brain "${handle}": use a management key (nsk_…). ${error.message}`
    }
    throw error
  })
}

/** Writes one batch; a missing Brain is created first where that was asked for. */
const writeBatch = async (client: Client, options: SyncOptions, batch: ReadDocument[], signal: AbortSignal) => {
  const operations = batch.map(({ operation }) => operation)
  const write = () => client.brain(options.brain).batch({ operations }, { signal })
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    if (!options.create) {
      error.message = `${error.message} Add --create to create the Brain "${options.brain}".`
      throw error
    }
    await createBrain(client, options.brain, signal)
    return await write()
  }
}

const count = (summary: Summary, answer: Awaited<ReturnType<typeof writeBatch>>) => {
  for (const { changed, version } of answer.results) {
    if (!changed) summary.unchanged++
    else if (answer.outcome === 'staged') summary.staged++
    else if (version === 1) summary.created++
    else summary.updated++
  }
  summary.files += answer.results.length
  summary.stateVersion = answer.stateVersion ?? summary.stateVersion
}

const sentenceOf = (summary: Summary): string => {
  const { files, created, updated, unchanged, staged, skipped, stateVersion } = summary
  const parts = [`${created} created`, `${updated} updated`, `${unchanged} unchanged`]
  if (staged > 0) parts.push(`${staged} staged for review`)
  if (skipped.length > 0) parts.push(`${skipped.length} skipped`)
  return `${files} ${files === 1 ? 'file' : 'files'}: ${parts.join(', ')}${stateVersion === null ? '' : `; state version ${stateVersion}`}.`
}

/**
 * Serves the Markdown and text files of a folder as documents of a Brain. Repeating it writes what changed and nothing
 * else; documents of files that are gone stay. A folder without such files is a usage error, because it is most likely
 * the wrong folder; one whose files can none of them be read exits 1.
 */
export const sync = async (context: Context, folderName: string, options: SyncOptions): Promise<number> => {
  const { signal, stdout, stderr, env } = context
  const folder = resolve(context.cwd, folderName)
  const source = sourceOf(folder, options.source)
  const client = clientOf(context, options)
  const { files, skipped } = await findIn(folder)
  const summary: Summary = { files: 0, created: 0, updated: 0, unchanged: 0, staged: 0, skipped, stateVersion: null }

  async function* documents() {
    for (const file of files) {
      const read = await readDocument(folder, source, file)
      if ('reason' in read) skipped.push(read)
      else yield read
    }
  }

  const progress = isLively(stderr, env, options.json === true) ? startProgress(stderr, files.length) : undefined
  try {
    for await (const batch of batchesOf(documents())) {
      count(summary, await writeBatch(client, options, batch, signal))
      progress?.update(summary.files)
    }
  } finally {
    progress?.stop()
  }
  if (options.json) await writeJson(stdout, summary)
  else {
    for (const { file, reason } of skipped) await writeLine(stderr, `skipped ${file}: ${reason}`)
    await writeLine(stderr, sentenceOf(summary))
  }
  return summary.files === 0 ? exitCodes.unexpected : exitCodes.ok
}
