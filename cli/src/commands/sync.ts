import { basename, resolve } from 'node:path'
import type { BrainClient } from '@noema/sdk'
import { ApiError } from '@noema/sdk/errors.ts'
import { systemTiming } from '@noema/sdk/timing.ts'
import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { findFiles, syncedTypes } from '../sync/find-files.ts'
import { withProgress } from '../sync/progress.ts'
import { listPlan, planSentence } from '../sync/show-plan.ts'
import { type Summary, summarize, writeSummary } from '../sync/summary.ts'
import { isWhole, type Planned, type Upload, uploadFolder } from '../sync/upload.ts'
import { readPending, waitForIndex } from '../sync/wait-for-index.ts'

export type SyncOptions = GlobalOptions & {
  brain: string
  source?: string
  create?: boolean
  plan?: boolean
  yes?: boolean
  retire: boolean
  allowRetire?: boolean
  wait?: boolean
}

const toSourceName = (folder: string, given: string | undefined): string => {
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
  throw new UsageError(`There are no files to sync in ${folder} (${Object.keys(syncedTypes).join(', ')}).`)
}

/** Checks whether the plan may be applied: retirements need confirmation, everything else does not. */
const isConfirmed = async (context: Context, options: SyncOptions, brain: BrainClient, plan: Planned['snapshot']) => {
  const { counts, conflicts, guard } = plan
  // No question about a plan that the service will refuse.
  const isRefused = conflicts > 0 || (guard.needsAllowRetire && !options.allowRetire)
  if (counts.retire === 0 || options.yes || isRefused) return true
  if (!context.ask || options.json)
    throw new UsageError(
      `${planSentence(plan)} Retiring documents needs confirmation: add --yes, keep the documents with --no-retire, or look at the plan with --plan.`,
    )
  await writeLine(context.stderr, planSentence(plan))
  await listPlan(context.stderr, brain, plan, { ops: ['retire'], limit: 10, signal: context.signal })
  return context.ask(`Retire ${counts.retire} of the ${guard.served} documents of ${plan.source}?`)
}

const hints: Readonly<Record<string, string>> = {
  retire_guard: 'Add --allow-retire to retire them, or --no-retire to keep them.',
  stale_plan: 'Others wrote meanwhile: run the sync again.',
}

const applyPlan = (brain: BrainClient, plan: Planned['snapshot'], options: SyncOptions, signal: AbortSignal) => {
  const { source, snapshot, planRevision } = plan
  const body = { planRevision, allowRetire: options.allowRetire === true }
  return brain.snapshots.apply(source, snapshot, body, { signal }).catch((error: unknown) => {
    const hint = error instanceof ApiError ? hints[error.code ?? ''] : undefined
    if (hint !== undefined && error instanceof ApiError) error.message = `${error.message} ${hint}`
    throw error
  })
}

const showPlan = async ({ stdout, stderr, signal }: Context, options: SyncOptions, upload: Upload, plan: Planned) => {
  const { snapshot } = plan
  if (options.json) return writeJson(stdout, { ...snapshot, skipped: upload.skipped })
  await listPlan(stdout, upload.client.brain(options.brain), snapshot, {
    ops: ['add', 'update', 'retire', 'conflict'],
    limit: Number.MAX_SAFE_INTEGER,
    signal,
  })
  await writeLine(stderr, planSentence(snapshot))
}

/** Applies a plan where it does anything; undefined where the person at the terminal said no. */
const settle = async (
  context: Context,
  options: SyncOptions,
  upload: Upload,
  { files, ...plan }: Planned & { files: number },
): Promise<Summary | undefined> => {
  const { counts, conflicts } = plan.snapshot
  const total = counts.add + counts.update + counts.retire
  if (total + conflicts === 0) return summarize({ files, skipped: upload.skipped }, plan, undefined)
  const brain = upload.client.brain(options.brain)
  if (!(await isConfirmed(context, options, brain, plan.snapshot))) return undefined
  const applied = await withProgress(context, options, { verb: 'applying', total }, async (update) => {
    const answer = await applyPlan(brain, plan.snapshot, options, context.signal)
    update({ done: total })
    return answer
  })
  return summarize({ files, skipped: upload.skipped }, plan, applied)
}

/** Waits until everything in the Brain is found by words and by meaning. */
const waitUntilFound = async (context: Context, options: SyncOptions, { client, brain, signal }: Upload) => {
  const timing = context.timing ?? systemTiming
  const total = await readPending(client, brain, signal)
  await withProgress(context, options, { verb: 'indexing', total, now: timing.now }, (update) =>
    waitForIndex(client, brain, { signal, timing, update }),
  )
}

/**
 * Makes a source of a Brain equal to a folder: uploads its PDFs and the like, plans the changes of all of its documents, and applies them as one
 * change. A repeat without changes writes nothing. Documents of missing files are retired after a confirmation. A folder
 * without such files is a usage error, because it is most likely the wrong folder; if none of its files can be read, the
 * command exits with 1.
 */
export const sync = async (context: Context, folderName: string, options: SyncOptions): Promise<number> => {
  const { signal, stderr, cwd } = context
  const folder = resolve(cwd, folderName)
  const source = toSourceName(folder, options.source)
  const client = connectClient(context, options)
  const { brain, create = false, retire } = options
  const upload: Upload = { client, brain, source, folder, create, retire, signal, ...(await findIn(folder)) }
  const total = upload.files.length
  const plan = await withProgress(context, options, { verb: 'uploading', total }, (update) =>
    uploadFolder(upload, (done) => update({ done })),
  )
  if (!options.json) {
    for (const { file, reason } of upload.skipped) await writeLine(stderr, `skipped ${file}: ${reason}`)
    if (retire && !isWhole(upload))
      await writeLine(stderr, 'No document is retired, because not all of the folder could be read.')
  }
  if (!plan) {
    await writeSummary(context, options, summarize({ files: 0, skipped: upload.skipped }, undefined, undefined))
    return exitCodes.unexpected
  }
  if (options.plan) {
    await showPlan(context, options, upload, plan)
    return exitCodes.ok
  }
  const summary = await settle(context, options, upload, plan)
  if (summary && options.wait) await waitUntilFound(context, options, upload)
  if (summary) await writeSummary(context, options, summary)
  else await writeLine(stderr, 'Nothing was written.')
  return exitCodes.ok
}
