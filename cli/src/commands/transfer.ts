import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ApiError } from '@noema/sdk/errors.ts'
import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { isLively, writeJson, writeLine } from '../output.ts'

type Shared = GlobalOptions & { brain: string }
export type ExportOptions = Shared & { history?: boolean; output?: string }
export type ImportOptions = Shared & { create?: boolean }

const lineFeed = 0x0a

/** Draws how much has passed, for a person at a terminal. */
const meter = ({ stderr, env }: Context, json: boolean | undefined) => {
  const lively = isLively(stderr, env, json === true)
  let bytes = 0
  let drawn = 0
  return {
    add: (length: number) => {
      bytes += length
      if (!lively || bytes - drawn < 2 ** 20) return
      drawn = bytes
      stderr.write(`\r${(bytes / 2 ** 20).toFixed(0)} MiB`)
    },
    stop: () => (lively ? stderr.write('\r\u001b[K') : undefined),
  }
}

/** Passes an export on, and fails at its end where the trailer is missing or does not vouch for what came before. */
const verified = (onBytes: (length: number) => void): Transform => {
  const hash = createHash('sha256')
  let last: Buffer[] = []
  return new Transform({
    transform: (chunk: Buffer, _, done) => {
      onBytes(chunk.length)
      // The checksum of the last line does not include that line, and any line may be the last.
      const before = chunk.lastIndexOf(lineFeed, -2) + 1
      if (before > 0 || last.at(-1)?.at(-1) === lineFeed) {
        for (const part of last) hash.update(part)
        last = []
      }
      hash.update(chunk.subarray(0, before))
      last.push(chunk.subarray(before))
      done(null, chunk)
    },
    flush: (done) => {
      const trailer = /^\{"trailer":.*"sha256":"([0-9a-f]{64})"/.exec(Buffer.concat(last).toString())
      const isWhole = trailer?.[1] === hash.digest('hex')
      done(
        isWhole ? null : new Error('The export is not whole: it does not end as its trailer should say. Run it again.'),
      )
    },
  })
}

const isMissingFolder = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT' && 'syscall' in error && error.syscall === 'open'

/** Writes a Brain's export to a file or to standard output. The file has its name only once it is whole. */
export const exportBrain = async (context: Context, options: ExportOptions): Promise<number> => {
  const { signal, stdout, stderr, cwd } = context
  const lines = await connectClient(context, options)
    .brain(options.brain)
    .export({ history: options.history ?? false }, { signal })
  const progress = meter(context, options.json)
  const source = Readable.fromWeb(lines as Parameters<typeof Readable.fromWeb>[0])
  const output = options.output === undefined ? undefined : resolve(cwd, options.output)
  const partial = `${output}.${process.pid}.part`
  try {
    const target = output === undefined ? stdout : createWriteStream(partial, { flags: 'wx' })
    await pipeline(source, verified(progress.add), target, { signal, end: output !== undefined })
    if (output !== undefined) await rename(partial, output)
  } catch (error) {
    if (output !== undefined) await rm(partial, { force: true })
    throw isMissingFolder(error) ? new UsageError(`The folder of ${options.output} does not exist.`) : error
  } finally {
    progress.stop()
  }
  if (output !== undefined && !options.json) await writeLine(stderr, `Exported ${options.brain} to ${options.output}.`)
  return exitCodes.ok
}

const openInput = async ({ cwd, stdin }: Context, file: string): Promise<Readable> => {
  if (file === '-') return stdin
  const path = resolve(cwd, file)
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
  if (!isFile) throw new UsageError(`${file} cannot be read as a file.`)
  return createReadStream(path)
}

/** Creates a Brain. Returns whether it is new. */
const createBrain = async (client: ReturnType<typeof connectClient>, handle: string, signal: AbortSignal) => {
  const isThere = await client.brains.get(handle, { signal }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return false
      throw error
    },
  )
  if (!isThere) await client.brains.put(handle, {}, { signal })
  return !isThere
}

/** Loads an export into a Brain that was never written to, all or nothing. */
export const importBrain = async (context: Context, file: string, options: ImportOptions): Promise<number> => {
  const { signal, stdout, stderr } = context
  const client = connectClient(context, options)
  const input = await openInput(context, file)
  const isNew = options.create === true && (await createBrain(client, options.brain, signal))
  const progress = meter(context, options.json)
  const counted = input
    .on('error', () => undefined)
    .pipe(
      new Transform({
        transform: (chunk: Buffer, _, done) => {
          progress.add(chunk.length)
          done(null, chunk)
        },
      }),
    )
  try {
    const lines = Readable.toWeb(counted) as unknown as ReadableStream<Uint8Array>
    const { brain, imported } = await client.brain(options.brain).import(lines, { signal })
    if (options.json) await writeJson(stdout, { brain, imported })
    else {
      const counts = Object.entries(imported).map(([name, count]) => `${count} ${name}`)
      await writeLine(
        stderr,
        `Imported ${counts.join(', ')} into ${brain.handle}; state version ${brain.stateVersion}.`,
      )
    }
  } catch (error) {
    // A refused import changed nothing, so the Brain that was created for it is empty. Without an answer that is unknown.
    if (isNew && error instanceof ApiError && error.status >= 400 && error.status < 500)
      await client.brains.delete(options.brain, { signal }).catch(() => undefined)
    throw error
  } finally {
    progress.stop()
    input.destroy()
  }
  return exitCodes.ok
}
