import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'

export type ExportOrganizationOptions = GlobalOptions & { history?: boolean }

const lineFeed = 0x0a

/** The lines of a stream, each with its line feed. One line may be as long as a document. */
async function* splitLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let begun: Buffer[] = []
  for await (const piece of stream) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    let from = 0
    for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, from)) {
      yield Buffer.concat([...begun, bytes.subarray(from, at + 1)])
      begun = []
      from = at + 1
    }
    if (from < bytes.length) begun.push(Buffer.from(bytes.subarray(from)))
  }
}

const write = async (file: WriteStream, line: Buffer): Promise<void> => {
  if (!file.write(line)) await once(file, 'drain')
}

const close = async (file: WriteStream): Promise<void> => {
  file.end()
  await finished(file)
}

const beginsWith = (line: Buffer, name: string): boolean => {
  const begin = `{"${name}":`
  return line.toString('utf8', 0, begin.length) === begin
}

/** Sorts the lines of an export into files: one of the organization, and one of each Brain. True where it was whole. */
const sortLines = async (lines: AsyncIterable<Buffer>, folder: string) => {
  await mkdir(join(folder, 'brains'), { recursive: true })
  const own = createWriteStream(join(folder, 'organization.ndjson'))
  let brain: WriteStream | undefined
  const found = { brains: 0, isWhole: false }
  for await (const line of lines) {
    await write(brain ?? own, line)
    if (brain && beginsWith(line, 'trailer')) {
      await close(brain)
      brain = undefined
    } else if (!brain && beginsWith(line, 'brainExport')) {
      const { handle } = JSON.parse(line.toString()).brainExport
      brain = createWriteStream(join(folder, 'brains', `${String(handle).replaceAll(/[^a-z0-9-]/g, '')}.ndjson`))
      found.brains += 1
    } else if (!brain && beginsWith(line, 'end')) found.isWhole = true
  }
  if (brain) await close(brain)
  await close(own)
  return found
}

/** Writes an organization to a folder: its own data, and each Brain as a file for `noema import`. */
export const exportOrganization = async (
  context: Context,
  output: string,
  options: ExportOrganizationOptions,
): Promise<number> => {
  const { signal, stdout, stderr, cwd } = context
  const folder = resolve(cwd, output)
  const partial = `${folder}.${process.pid}.part`
  const stream = await connectClient(context, options).organization.export(
    { history: options.history ?? false },
    { signal },
  )
  try {
    const { brains, isWhole } = await sortLines(splitLines(stream as unknown as AsyncIterable<Uint8Array>), partial)
    if (!isWhole) throw new Error('The export is not whole: it does not end as it should. Run it again.')
    await rename(partial, folder).catch(() => {
      throw new UsageError(`${output} exists already. Name a folder that does not.`)
    })
    if (options.json) await writeJson(stdout, { folder: output, brains })
    else
      await writeLine(stderr, `Exported the organization with ${brains} Brain${brains === 1 ? '' : 's'} to ${output}.`)
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  }
  return exitCodes.ok
}
