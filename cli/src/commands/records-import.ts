import { randomUUID } from 'node:crypto'
import { createReadStream, existsSync, statSync } from 'node:fs'
import { appendFile, rm } from 'node:fs/promises'
import { basename, extname, resolve } from 'node:path'
import { connectBrain } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { parseTypes } from '../import/cell-types.ts'
import { type ImportState, identifyImport, readState, removeState, writeState } from '../import/import-state.ts'
import { readRows } from '../import/read-rows.ts'
import { type Prepared, prepareRow, type Rejected, sendRows, toBatches } from '../import/send-rows.ts'
import { writeJson, writeLine } from '../output.ts'

export type ImportOptions = GlobalOptions & {
  brain?: string
  kind: string
  slug?: string
  id?: string
  types?: string
  resume?: boolean
}

type Job = { path: string; format: 'csv' | 'jsonl'; statePath: string; rejectedPath: string }

const formats = { '.csv': 'csv', '.jsonl': 'jsonl', '.ndjson': 'jsonl' } as const

const toJob = ({ cwd }: Context, file: string): Job => {
  const path = resolve(cwd, file)
  const extension = extname(path).toLowerCase()
  const format = Object.entries(formats).find(([known]) => known === extension)?.[1]
  if (!format) throw new UsageError(`${file} is none of ${Object.keys(formats).join(', ')}.`)
  if (!existsSync(path) || !statSync(path).isFile()) throw new UsageError(`${file} cannot be read.`)
  const stem = path.slice(0, -extension.length)
  return { path, format, statePath: `${path}.import.json`, rejectedPath: `${stem}.rejected.jsonl` }
}

/** Finds the first row to import: row one, or the row after those already done. */
const findStart = async (
  { path, statePath, rejectedPath }: Job,
  options: ImportOptions,
  brain: string,
): Promise<ImportState> => {
  const { kind, slug, id, types, resume } = options
  const identity = await identifyImport(path, [brain, kind, slug, id, types])
  if (resume) {
    const state = await readState(statePath, identity)
    if (state) return state
    throw new UsageError('There is no interrupted import of this file with these options. Leave out --resume.')
  }
  await rm(rejectedPath, { force: true })
  return { import: identity, attempt: randomUUID(), rows: 0, written: 0, unchanged: 0, staged: 0, rejected: 0 }
}

async function* prepareRows(job: Job, options: ImportOptions, done: number): AsyncGenerator<Prepared> {
  const { kind, slug, id } = options
  const naming = { kind, slug, id, file: basename(job.path) }
  // The names of records stay as they are written.
  const names = [slug, id].flatMap((name): [string, 'string'][] => (name === undefined ? [] : [[name, 'string']]))
  const types = new Map([...names, ...parseTypes(options.types)])
  let row = 0
  for await (const one of readRows(() => createReadStream(job.path), job.format, types))
    if (++row > done) yield prepareRow(one, naming)
}

const report = (rejectedPath: string, rejected: readonly Rejected[]): Promise<void> =>
  appendFile(rejectedPath, rejected.map((one) => `${JSON.stringify(one)}\n`).join(''))

const describe = ({ rows, written, unchanged, rejected }: ImportState): string =>
  `${rows} rows: ${written} written, ${unchanged} unchanged, ${rejected} rejected`

/**
 * Imports the rows of a file as records, batch by batch. The state is stored after each batch, and records have the same ids in
 * each import, so that neither an interruption nor a repeat writes a row twice.
 */
export const importRecords = async (context: Context, file: string, options: ImportOptions): Promise<number> => {
  const { signal, stdout, stderr } = context
  const job = toJob(context, file)
  const { brain, handle } = connectBrain(context, options)
  let state = await findStart(job, options, handle)
  for await (const batch of toBatches(prepareRows(job, options, state.rows))) {
    signal.throwIfAborted()
    const { written, unchanged, staged, rejected } = await sendRows(brain, batch, { attempt: state.attempt, signal })
    if (rejected.length > 0) await report(job.rejectedPath, rejected)
    state = {
      import: state.import,
      attempt: state.attempt,
      rows: state.rows + batch.length,
      written: state.written + written,
      unchanged: state.unchanged + unchanged,
      staged: state.staged + staged,
      rejected: state.rejected + rejected.length,
    }
    await writeState(job.statePath, state)
    if (!options.json && stderr.isTTY === true) await writeLine(stderr, describe(state))
  }
  await removeState(job.statePath)
  const { import: _identity, attempt: _attempt, ...counts } = state
  if (options.json) await writeJson(stdout, counts)
  else await writeLine(stdout, describe(state))
  if (state.staged > 0 && !options.json)
    await writeLine(stderr, `They wait for review: noema changes list --brain ${handle}`)
  if (state.rejected === 0) return exitCodes.ok
  if (!options.json) await writeLine(stderr, `noema: ${job.rejectedPath} lists the rejected rows with their reasons.`)
  return exitCodes.validation
}
