import { createWriteStream } from 'node:fs'
import { readFile, rename, rm } from 'node:fs/promises'
import { basename, extname, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { maxTextPart } from '@noema/contracts/artifacts.ts'
import type { Client } from '@noema/sdk'
import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { mediaTypes } from '../media-types.ts'
import { writeJson, writeLine, writeText } from '../output.ts'
import { parseListLimit, parseNumber } from '../parse-options.ts'
import { type Column, writeList } from '../table.ts'
import { writeOutcome } from './write-outcome.ts'

type Artifact = Awaited<ReturnType<Client['artifacts']['list']>>['artifacts'][number]
type VersionOptions = GlobalOptions & { fileVersion?: string }

const columns: Column<Artifact>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'VERSION', value: ({ version }) => version },
  { title: 'BYTES', value: ({ bytes }) => bytes },
  { title: 'UPLOADED', value: ({ createdAt }) => createdAt },
  { title: 'PATH', value: ({ path }) => path, shrinks: true },
]

/** The id of a file that is named by its id or its path. */
const findId = async ({ artifacts }: Client, file: string, signal: AbortSignal): Promise<string> => {
  if (/^art_\w+$/.test(file)) return file
  const { artifacts: found } = await artifacts.list({ prefix: file, limit: 1 }, { signal })
  // Of the paths that begin with it, the path itself is the first.
  if (found[0]?.path === file.normalize('NFC')) return found[0].id
  throw new UsageError(`There is no file ${JSON.stringify(file)}. noema files list shows them.`)
}

/** The calls about files, the id of a file that is named by its id or its path, and the requested version of it. */
const openFile = async (context: Context, file: string, options: VersionOptions) => {
  const client = connectClient(context, options)
  const id = await findId(client, file, context.signal)
  return { artifacts: client.artifacts, id, version: parseNumber(options.fileVersion, '--file-version') }
}

const readBytes = (context: Context, file: string): Promise<Uint8Array<ArrayBuffer>> =>
  readFile(resolve(context.cwd, file)).then(
    (bytes) => new Uint8Array(bytes),
    (error: unknown) => {
      const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
      throw new UsageError(`${file} cannot be read${code}.`)
    },
  )

type UploadOptions = GlobalOptions & { path?: string; contentType?: string; brain?: string; id?: string }

/** Uploads a file; with `--brain` its text becomes a document there. */
export const uploadFile = async (context: Context, file: string, options: UploadOptions): Promise<number> => {
  const { signal, stdout, stderr } = context
  const client = connectClient(context, options)
  const contentType = options.contentType ?? mediaTypes[extname(file).toLowerCase()] ?? 'application/octet-stream'
  const bytes = await readBytes(context, file)
  const { artifact } = await client.artifacts.upload(
    bytes,
    { path: options.path ?? basename(file) },
    { contentType, signal },
  )
  if (!options.json) await writeLine(stderr, `${artifact.path} is version ${artifact.version}.`)
  if (options.brain === undefined) {
    if (options.json) await writeJson(stdout, artifact)
    else await writeLine(stdout, artifact.id)
    return exitCodes.ok
  }
  const { documents } = client.brain(options.brain)
  const body = { artifact: artifact.id, artifactVersion: artifact.version }
  const answer = await documents.put(options.id ?? artifact.path, body, { signal })
  await writeOutcome(context, options, { answer, id: answer.document.id, brain: options.brain })
  return exitCodes.ok
}

/** Lists files by path, or the versions of one. */
export const listFiles = async (
  context: Context,
  prefix: string | undefined,
  options: GlobalOptions & { limit?: string; versions?: string; run?: string },
): Promise<number> => {
  const { signal } = context
  const { limit, page } = parseListLimit(options.limit)
  const client = connectClient(context, options)
  const list =
    options.versions === undefined
      ? client.artifacts.list({ prefix, runId: options.run, limit: page }, { signal })
      : client.artifacts.versions(await findId(client, options.versions, signal), { limit: page }, { signal })
  await writeList(context, options, { ...{ list, columns, limit }, none: 'There is no such file.' })
  return exitCodes.ok
}

/** Writes the bytes of a file to a new file, or with `--output -` to standard output. A download that fails leaves nothing, and the former file. */
export const downloadFile = async (
  context: Context,
  file: string,
  options: VersionOptions & { output?: string },
): Promise<number> => {
  const { signal, stdout, stderr, cwd } = context
  const { artifacts, id, version } = await openFile(context, file, options)
  const { artifact } = await artifacts.get(id, { version }, { signal })
  const stream = await artifacts.content(id, { version: artifact.version }, { signal })
  const { output = basename(artifact.path) } = options
  if (output === '-') {
    await pipeline(stream, stdout, { end: false })
    return exitCodes.ok
  }
  const target = resolve(cwd, output)
  const isReplacing = options.output !== undefined
  const partial = isReplacing ? `${target}.${process.pid}.part` : target
  try {
    await pipeline(stream, createWriteStream(partial, { flags: 'wx' }), { signal })
    if (isReplacing) await rename(partial, target)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      throw new UsageError(`${output} exists. Name another file with --output.`)
    await rm(partial, { force: true })
    throw error
  }
  if (options.json) await writeJson(stdout, { ...artifact, output: target })
  else await writeLine(stderr, `${artifact.path} version ${artifact.version} is in ${output}.`)
  return exitCodes.ok
}

/** Prints the text of a file, or that of one page. */
export const readFileText = async (
  context: Context,
  file: string,
  options: VersionOptions & { page?: string },
): Promise<number> => {
  const { signal, stdout } = context
  const { artifacts, id, version } = await openFile(context, file, options)
  const page = parseNumber(options.page, '--page')
  const size = maxTextPart
  let part = await artifacts.text(id, { version, page, size }, { signal })
  const { artifact } = part
  let text = part.text
  const isWhole = () => part.nextOffset === null || (page !== undefined && text.includes('\f'))
  while (!isWhole()) {
    part = await artifacts.text(id, { version: artifact.version, offset: part.nextOffset ?? 0, size }, { signal })
    text += part.text
  }
  // A form feed ends a page.
  if (page !== undefined) text = text.split('\f', 1)[0] ?? ''
  if (options.json) await writeJson(stdout, { artifact, text })
  else await writeText(stdout, `${text.replaceAll('\f', '').trimEnd()}\n`)
  return exitCodes.ok
}

/** Deletes a file with all its versions, or an earlier version of it. */
export const deleteFile = async (
  context: Context,
  file: string,
  options: VersionOptions & { yes?: boolean },
): Promise<number> => {
  const { signal, stdout, stderr } = context
  const { artifacts, id, version } = await openFile(context, file, options)
  const what = version === undefined ? `${file} with all its versions` : `version ${version} of ${file}`
  if (!options.yes) {
    if (!context.ask || options.json) throw new UsageError(`Deleting ${what} needs confirmation: add --yes.`)
    if (!(await context.ask(`Delete ${what}?`))) {
      await writeLine(stderr, 'Nothing was deleted.')
      return exitCodes.ok
    }
  }
  await artifacts.delete(id, { version }, { signal })
  if (options.json) await writeJson(stdout, { deleted: true, id })
  else await writeLine(stderr, `Deleted ${what}. Documents with its text stay.`)
  return exitCodes.ok
}

/** Makes a link by which anyone downloads a version of a file for a while. The link alone goes to standard output. */
export const linkFile = async (
  context: Context,
  file: string,
  options: VersionOptions & { seconds?: string },
): Promise<number> => {
  const { signal, stdout, stderr } = context
  const { artifacts, id, version } = await openFile(context, file, options)
  const expiresInSeconds = parseNumber(options.seconds, '--seconds')
  const { link } = await artifacts.link(
    id,
    { ...(version === undefined ? {} : { version }), ...(expiresInSeconds === undefined ? {} : { expiresInSeconds }) },
    { signal },
  )
  if (options.json) await writeJson(stdout, link)
  else {
    await writeLine(stderr, `It works until ${link.expiresAt}, for anyone who has it.`)
    await writeLine(stdout, link.url)
  }
  return exitCodes.ok
}
