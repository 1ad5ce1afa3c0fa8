import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { bundleLimits, bundlePath } from '@noema/contracts/bundles.ts'
import type { BrainClient } from '@noema/sdk'
import { type BundleText, readArchive, toFolded } from '../bundles/read-archive.ts'
import { readBundle } from '../bundles/read-bundle.ts'
import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { differingFiles, findEdits, writeFiles } from '../files/write-folder.ts'
import { writeJson, writeLine } from '../output.ts'
import { parseNumber } from '../parse-options.ts'

type Options = GlobalOptions & { brain: string }
export type PullOptions = Options & {
  kinds?: string
  sources?: string
  asOf?: string
  output?: string
  overwrite?: boolean
}
export type PushOptions = Options & {
  plan?: boolean
  overwrite?: boolean
  review?: boolean
  reason?: string
  source?: string
}

const written = { what: 'bundle', isPath: (path: string) => bundlePath.safeParse(path).success }

const download = async (context: Context, options: PullOptions, file: string): Promise<void> => {
  const { kinds, sources, asOf } = options
  const query = {
    ...(kinds === undefined ? {} : { kinds: kinds.split(',') }),
    ...(sources === undefined ? {} : { sources: sources.split(',') }),
    ...(asOf === undefined ? {} : { asOf: parseNumber(asOf, '--as-of') }),
  }
  const bytes = await connectClient(context, options)
    .brain(options.brain)
    .bundle.export(query, { signal: context.signal })
  const source = Readable.fromWeb(bytes as Parameters<typeof Readable.fromWeb>[0])
  await pipeline(source, createWriteStream(file, { flags: 'wx', mode: 0o600 }), { signal: context.signal })
}

/** Checks every file of an archive before the first one is written. */
const checkFiles = async (archive: string, root: string, overwrites: boolean): Promise<void> => {
  const folded = new Map<string, string>()
  const edited: string[] = []
  for await (const file of readArchive(archive)) {
    const other = folded.get(toFolded(file.path))
    if (other !== undefined)
      throw new UsageError(`${other} and ${file.path} are one file on some machines. Save the archive with --output.`)
    folded.set(toFolded(file.path), file.path)
    edited.push(...(await findEdits(root, [file], written)))
  }
  if (edited.length > 0 && !overwrites) throw differingFiles(edited)
}

/** Writes a part of a Brain into a folder, or as an archive. */
export const pullBundle = async (
  context: Context,
  folder: string | undefined,
  options: PullOptions,
): Promise<number> => {
  const { cwd, stderr, stdout } = context
  const output = options.output === undefined ? undefined : resolve(cwd, options.output)
  const root = resolve(cwd, folder ?? options.brain)
  const archive =
    output === undefined ? join(tmpdir(), `noema-${randomUUID()}.tar.gz`) : `${output}.${process.pid}.part`
  let files = 0
  try {
    await download(context, options, archive)
    if (output !== undefined) await rename(archive, output)
    else {
      await checkFiles(archive, root, options.overwrite === true)
      for await (const file of readArchive(archive)) {
        await writeFiles(root, [file])
        files++
      }
    }
  } finally {
    await rm(archive, { force: true })
  }
  const target = output ?? root
  if (options.json) await writeJson(stdout, output === undefined ? { folder: target, files } : { output: target })
  else await writeLine(stderr, output === undefined ? `${files} files in ${target}.` : `Exported to ${target}.`)
  return exitCodes.ok
}

/** Texts of one call together, in UTF-16 units: as JSON they stay below the limit of a body. */
const maxPartLength = 6 * 1024 * 1024

/** A bundle in parts that a call takes. */
async function* cutParts(files: AsyncIterable<BundleText>): AsyncGenerator<BundleText[]> {
  let part: BundleText[] = []
  let length = 0
  for await (const file of files) {
    if (part.length === bundleLimits.files || (part.length > 0 && length + file.text.length > maxPartLength)) {
      yield part
      part = []
      length = 0
    }
    part.push(file)
    length += file.text.length
  }
  if (part.length > 0) yield part
}

type Answer = Awaited<ReturnType<BrainClient['bundle']['import']>>

const marks = { add: '+', update: '~', conflict: '!', behind: '<', unchanged: '=' } as const

const report = async ({ stdout, stderr }: Context, answer: Answer, brain: string): Promise<void> => {
  const { items, counts, outcome, change, skipped, schema } = answer
  for (const { op, type, id, path } of items) await writeLine(stdout, `${marks[op]} ${type} ${id} (${path})`)
  const { add, update, unchanged, behind, conflict } = counts
  await writeLine(
    stderr,
    `${add} to add, ${update} to update, ${unchanged} unchanged, ${behind} newer in the Brain, ${conflict} in conflict, ${skipped.length} files skipped.`,
  )
  if (change && outcome === 'staged')
    await writeLine(stderr, `It waits for review: noema changes show ${change.id} --brain ${brain}`)
  if (schema && schema.missing.length > 0)
    await writeLine(
      stderr,
      `The Brain does not declare ${schema.missing.join(', ')}.${
        schema.change ? ` A proposal waits for review: noema changes show ${schema.change.id} --brain ${brain}` : ''
      }`,
    )
  if (schema && schema.differing.length > 0)
    await writeLine(stderr, `The Brain declares ${schema.differing.join(', ')} in another way, and keeps that.`)
}

/** Writes a folder or an archive to a Brain. All of it is planned before any of it is written. */
export const pushBundle = async (context: Context, path: string, options: PushOptions): Promise<number> => {
  const { cwd, signal, stdout, stderr } = context
  const { overwrite, review, reason } = options
  const { bundle } = connectClient(context, options).brain(options.brain)
  const from = resolve(cwd, path)
  const more = {
    source: options.source ?? basename(from).replace(/\.(?:tar|tgz|tar\.gz)$/, ''),
    ...(overwrite === undefined ? {} : { overwrite }),
    ...(review === undefined ? {} : { review }),
    ...(reason === undefined ? {} : { reason }),
  }
  const answers: Answer[] = []
  for await (const files of cutParts(readBundle(from)))
    answers.push(await bundle.import({ ...more, files, plan: true }, { signal }))
  if (answers.length === 0) throw new UsageError(`${path} has no Markdown file.`)
  const conflicts = answers.reduce((sum, { counts }) => sum + counts.conflict, 0)
  const isRefused = conflicts > 0 && !overwrite
  if (!options.plan && !isRefused) {
    answers.length = 0
    for await (const files of cutParts(readBundle(from)))
      answers.push(await bundle.import({ ...more, files }, { signal }))
  }
  for (const answer of answers)
    if (options.json) await writeJson(stdout, answer)
    else await report(context, answer, options.brain)
  if (!isRefused || options.plan) return exitCodes.ok
  await writeLine(stderr, 'noema: Nothing was written. Pull again and repeat your edits, or push with --overwrite.')
  return exitCodes.conflict
}
