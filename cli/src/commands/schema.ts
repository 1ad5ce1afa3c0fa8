import type { BrainClient } from '@noema/sdk'
import { connectBrain } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { parseListLimit, parseNumber } from '../parse-options.ts'
import { type Column, writeList, writeTable } from '../table.ts'
import { formatRules } from './parse-declarations.ts'

type Schema = Awaited<ReturnType<BrainClient['schema']['get']>>['schema']
type Emerged = Awaited<ReturnType<BrainClient['schema']['emerged']>>['emerged'][number]

type Shared = GlobalOptions & { brain?: string }
type ShowOptions = Shared & { schemaVersion?: string; emerged?: boolean; limit?: string }

type Row = { name: string; type: string; rules: string }

/** A row for each kind, field and link, by the names that changes use. */
const toRows = ({ kinds }: Schema): Row[] =>
  kinds.flatMap(({ kind, strict, title, fields, links }) => [
    { name: kind, type: strict ? 'strict kind' : 'kind', rules: title ?? '' },
    ...fields.map((field) => ({ name: `${kind}.${field.name}`, type: field.type, rules: formatRules(field) })),
    ...links.map(({ predicate, to, many }) => ({
      name: `${kind}->${predicate}`,
      type: 'link',
      rules: `${to.length > 0 ? `to ${to.join(',')}` : 'to any kind'}${many ? '' : ', at most one'}`,
    })),
  ])

const columns: Column<Row>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'TYPE', value: ({ type }) => type },
  { title: 'RULES', value: ({ rules }) => rules, shrinks: true },
]

const emergedColumns: Column<Emerged>[] = [
  { title: 'NAME', value: ({ id }) => id },
  { title: 'SUGGESTED', value: ({ suggested }) => suggested && `${suggested.type}${suggested.many ? ':many' : ''}` },
  { title: 'RECORDS', value: ({ count }) => count },
  { title: 'SEEN', value: ({ seen }) => seen.join(', '), shrinks: true },
]

/** Shows the schema of a Brain, or the structure of its records that the schema does not declare. */
export const showSchema = async (context: Context, options: ShowOptions): Promise<number> => {
  const { signal, stdout, stderr } = context
  const { brain, handle } = connectBrain(context, options)
  if (options.emerged) {
    const { limit, page } = parseListLimit(options.limit)
    const list = brain.schema.emerged({ limit: page }, { signal })
    const none = 'The schema declares everything that records have.'
    await writeList(context, options, { list, columns: emergedColumns, limit, none })
    return exitCodes.ok
  }
  const version = parseNumber(options.schemaVersion, '--schema-version')
  const { schema } = await brain.schema.get({ version }, { signal })
  if (options.json) {
    await writeJson(stdout, schema)
    return exitCodes.ok
  }
  await writeTable(context, options, { rows: toRows(schema), columns })
  if (schema.kinds.length === 0)
    await writeLine(
      stderr,
      `The schema declares nothing. See what records have: noema schema show --emerged --brain ${handle}`,
    )
  return exitCodes.ok
}

type Version = { version: number; added: string[]; changed: string[]; removed: string[] }

/** The declarations of a schema by their names. */
const toDeclarations = (schema: Schema): Map<string, string> => {
  const all = schema.kinds.flatMap(({ fields, links, ...kind }): [string, string][] => [
    [kind.kind, JSON.stringify(kind)],
    ...fields.map((field): [string, string] => [`${kind.kind}.${field.name}`, JSON.stringify(field)]),
    ...links.map((link): [string, string] => [`${kind.kind}->${link.predicate}`, JSON.stringify(link)]),
  ])
  return new Map(all)
}

const compare = (before: Schema, after: Schema): Version => {
  const [old, now] = [toDeclarations(before), toDeclarations(after)]
  const names = [...now.keys()]
  return {
    version: after.schemaVersion,
    added: names.filter((name) => !old.has(name)),
    changed: names.filter((name) => old.has(name) && old.get(name) !== now.get(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
  }
}

/** The versions of a schema with what each changed, the newest first. */
async function* listVersions(brain: BrainClient, signal: AbortSignal): AsyncGenerator<Version> {
  let { schema: after } = await brain.schema.get({}, { signal })
  while (after.schemaVersion > 0) {
    const { schema: before } = await brain.schema.get({ version: after.schemaVersion - 1 }, { signal })
    yield compare(before, after)
    after = before
  }
}

const versionColumns: Column<Version>[] = [
  { title: 'VERSION', value: ({ version }) => version },
  { title: 'ADDED', value: ({ added }) => added.join(', '), shrinks: true },
  { title: 'CHANGED', value: ({ changed }) => changed.join(', '), shrinks: true },
  { title: 'REMOVED', value: ({ removed }) => removed.join(', '), shrinks: true },
]

/** Lists the versions of a schema, with what each added, changed and removed. */
export const listSchemaVersions = async (context: Context, options: Shared & { limit?: string }): Promise<number> => {
  const { brain } = connectBrain(context, options)
  const { limit } = parseListLimit(options.limit)
  const list = listVersions(brain, context.signal)
  await writeList(context, options, {
    list,
    columns: versionColumns,
    limit,
    none: 'The schema has declared nothing yet.',
  })
  return exitCodes.ok
}
