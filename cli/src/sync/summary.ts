import type { BrainClient } from '@noema/sdk'
import type { Context, GlobalOptions } from '../context.ts'
import { writeJson, writeLine } from '../output.ts'
import type { Skipped } from './find-files.ts'
import type { Planned } from './upload.ts'

/**
 * The result of a sync. `files` were read: each was created, updated or unchanged. In a Brain that reviews its writes, the
 * writes are `staged` instead, in the change `reviewChange`. `stateVersion` is the Brain's, null if it staged.
 */
export type Summary = {
  files: number
  created: number
  updated: number
  retired: number
  unchanged: number
  staged: number
  skipped: Skipped[]
  stateVersion: number | null
  reviewChange?: string
}

type Applied = Awaited<ReturnType<BrainClient['snapshots']['apply']>>

/** Summarizes a plan's result: without writes nothing was applied. */
export const summarize = (
  read: { files: number; skipped: Skipped[] },
  planned: Planned | undefined,
  applied: Applied | undefined,
): Summary => {
  const { add = 0, update = 0, retire = 0, unchanged = 0 } = planned?.snapshot.counts ?? {}
  const { files, skipped } = read
  const isStaged = applied?.outcome === 'staged'
  const [created, updated, retired] = isStaged ? [0, 0, 0] : [add, update, retire]
  const staged = isStaged ? add + update + retire : 0
  const stateVersion = applied ? applied.stateVersion : (planned?.stateVersion ?? null)
  const summary = { files, created, updated, retired, unchanged, staged, skipped, stateVersion }
  return isStaged && applied.change ? { ...summary, reviewChange: applied.change.id } : summary
}

const toSentence = (summary: Summary): string => {
  const { files, created, updated, retired, unchanged, staged, skipped, stateVersion } = summary
  const parts = [`${created} created`, `${updated} updated`, `${unchanged} unchanged`]
  if (retired > 0) parts.push(`${retired} retired`)
  if (staged > 0) parts.push(`${staged} staged for review`)
  if (skipped.length > 0) parts.push(`${skipped.length} skipped`)
  return `${files} ${files === 1 ? 'file' : 'files'}: ${parts.join(', ')}${stateVersion === null ? '' : `; state version ${stateVersion}`}.`
}

/** Writes a summary: as sentences on standard error, or as JSON on standard output. */
export const writeSummary = async ({ stdout, stderr }: Context, { json }: GlobalOptions, summary: Summary) => {
  if (json) return writeJson(stdout, summary)
  await writeLine(stderr, toSentence(summary))
  if (summary.reviewChange !== undefined)
    await writeLine(stderr, `The change ${summary.reviewChange} waits for review.`)
}
