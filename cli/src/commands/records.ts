import type { BrainClient } from '@noema/sdk'
import { connectBrain } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { parseExpiry, parseFields, parseListLimit, parseNumber, readJsonInput } from '../parse-options.ts'
import { type Column, writeList } from '../table.ts'
import { writeOutcome } from './write-outcome.ts'

type Records = BrainClient['records']
type BrainRecord = Awaited<ReturnType<Records['get']>>['record']
type NewRecord = Parameters<Records['put']>[1]
type RecordPatch = NonNullable<Parameters<Records['patch']>[1]>

type Shared = GlobalOptions & { brain?: string; key?: string }
type ListOptions = Shared & { kind?: string; slug?: string; linksTo?: string; asOf?: string; limit?: string }
type WriteOptions = Shared & {
  kind?: string
  slug?: string
  set?: string[]
  expires?: string
  file?: string
  ifMatch?: string
}

/** The columns of a list of records. */
export const recordColumns: Column<BrainRecord>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'KIND', value: ({ kind }) => kind },
  { title: 'SLUG', value: ({ slug }) => slug, shrinks: true },
  { title: 'VERSION', value: ({ version }) => version },
  { title: 'FIELDS', value: ({ fields }) => JSON.stringify(fields), shrinks: true },
]

/** Lists records of a Brain by id. */
export const listRecords = async (context: Context, options: ListOptions): Promise<number> => {
  const { limit, page } = parseListLimit(options.limit)
  const { kind, slug, linksTo } = options
  const asOf = parseNumber(options.asOf, '--as-of')
  const { brain } = connectBrain(context, options)
  const list = brain.records.list({ kind, slug, linksTo, asOf, limit: page }, { signal: context.signal })
  await writeList(context, options, { ...{ list, columns: recordColumns, limit }, none: 'There is no such record.' })
  return exitCodes.ok
}

/** Shows a record: its name, then its fields and links. */
export const showRecord = async (
  context: Context,
  id: string,
  options: Shared & { asOf?: string; history?: boolean },
): Promise<number> => {
  const { stdout, signal } = context
  const { brain } = connectBrain(context, options)
  if (options.history) return showHistory(context, brain, id, options)
  const { record } = await brain.records.get(id, { asOf: parseNumber(options.asOf, '--as-of') }, { signal })
  if (options.json) {
    await writeJson(stdout, record)
    return exitCodes.ok
  }
  const { kind, slug, version, stateVersion, updatedAt, fields, links, expiresAt } = record
  await writeLine(stdout, `${kind} ${record.id}${slug ? ` (${slug})` : ''}`)
  if (record.id !== id) await writeLine(stdout, `${id} was merged into it`)
  await writeLine(stdout, `version ${version}, of state ${stateVersion}, ${updatedAt}`)
  if (expiresAt) await writeLine(stdout, `expires ${expiresAt}`)
  for (const [name, value] of Object.entries(fields))
    await writeLine(stdout, `  ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  for (const { predicate, to } of links) await writeLine(stdout, `  ${predicate} -> ${to}`)
  return exitCodes.ok
}

const showHistory = async (
  context: Context,
  brain: BrainClient,
  id: string,
  options: GlobalOptions,
): Promise<number> => {
  const list = brain.records.history(id, { limit: 500 }, { signal: context.signal })
  await writeList(context, options, {
    ...{ list, limit: Number.MAX_SAFE_INTEGER, none: 'There is no version.' },
    columns: [
      { title: 'ID', value: ({ record }) => record.id },
      { title: 'VERSION', value: ({ record }) => record.version },
      { title: 'STATE', value: ({ record }) => record.stateVersion },
      { title: 'WRITTEN', value: ({ record }) => record.updatedAt },
      {
        title: 'ENDED',
        value: ({ ended }) =>
          ended && `${ended.mergedInto ? 'merged' : ended.deleted ? 'deleted' : 'replaced'} at ${ended.stateVersion}`,
      },
      { title: 'FIELDS', value: ({ record }) => JSON.stringify(record.fields), shrinks: true },
    ],
  })
  return exitCodes.ok
}

/** Reads a record's content from the file, overridden by the options. */
const readContent = async <Content extends { fields?: Record<string, unknown> | undefined }>(
  context: Context,
  { file, kind, slug, set, expires }: WriteOptions,
): Promise<Content> => {
  const given = file === undefined ? ({} as Content) : await readJsonInput<Content>(context, file)
  return {
    ...given,
    ...(kind === undefined ? {} : { kind }),
    ...(slug === undefined ? {} : { slug }),
    ...(expires === undefined ? {} : { expiresAt: parseExpiry(expires) }),
    ...(set === undefined ? {} : { fields: { ...given.fields, ...parseFields(set) } }),
  }
}

const toCallOptions = ({ signal }: Context, { key, ifMatch }: WriteOptions) => ({
  signal,
  idempotencyKey: key,
  ifMatch: parseNumber(ifMatch, '--if-match'),
})

/** Creates a record, or replaces the one with this id as a whole. */
export const putRecord = async (context: Context, id: string | undefined, options: WriteOptions): Promise<number> => {
  const content = await readContent<NewRecord>(context, options)
  if (content.kind === undefined) throw new UsageError('A record needs a kind: give --kind, or a file with one.')
  const { brain, handle } = connectBrain(context, options)
  const { ifMatch, ...call } = toCallOptions(context, options)
  const answer =
    id === undefined
      ? await brain.records.create(content, call)
      : await brain.records.put(id, content, { ...call, ifMatch })
  await writeOutcome(context, options, { answer, id: answer.record.id, brain: handle })
  return exitCodes.ok
}

/** Changes some fields of a record and leaves the others. */
export const patchRecord = async (
  context: Context,
  id: string,
  options: WriteOptions & { unset?: string[] },
): Promise<number> => {
  const content = await readContent<RecordPatch>(context, options)
  const removed = Object.fromEntries((options.unset ?? []).map((name) => [name, null]))
  const fields = { ...content.fields, ...removed }
  const { brain, handle } = connectBrain(context, options)
  const body = Object.keys(fields).length > 0 ? { ...content, fields } : content
  const answer = await brain.records.patch(id, body, toCallOptions(context, options))
  await writeOutcome(context, options, { answer, id, brain: handle })
  return exitCodes.ok
}

/** Merges a record into another one, which gets what it lacks. */
export const mergeRecord = async (
  context: Context,
  id: string,
  options: Shared & { into: string; keep?: string[]; reason?: string; ifMatch?: string },
): Promise<number> => {
  const { brain, handle } = connectBrain(context, options)
  const { into, reason } = options
  const keep = Object.fromEntries((options.keep ?? []).map((name) => [name, 'from' as const]))
  const body = { into, keep, ...(reason === undefined ? {} : { reason }) }
  const answer = await brain.records.merge(id, body, toCallOptions(context, options))
  await writeOutcome(context, options, { answer, id: answer.record.id, brain: handle })
  return exitCodes.ok
}

/** Deletes a record; its history can still be read. */
export const deleteRecord = async (context: Context, id: string, options: WriteOptions): Promise<number> => {
  const { brain, handle } = connectBrain(context, options)
  const answer = await brain.records.delete(id, toCallOptions(context, options))
  await writeOutcome(context, options, { answer, id, brain: handle })
  return exitCodes.ok
}
