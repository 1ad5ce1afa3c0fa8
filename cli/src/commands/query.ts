import type { BrainClient } from '@noema/sdk'
import { connectBrain } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { parseListLimit, parseValue } from '../parse-options.ts'
import { type Column, writeTable } from '../table.ts'
import { readFilters } from './read-filters.ts'
import { recordColumns } from './records.ts'

type Body = Parameters<BrainClient['query']>[0]
type Aggregate = NonNullable<Body['aggregate']>
type Answer = Awaited<ReturnType<BrainClient['query']>>
type Group = NonNullable<Answer['aggregate']>['groups'][number]

export type QueryOptions = GlobalOptions & {
  brain?: string
  where?: string[]
  count?: boolean
  by?: string
  interval?: NonNullable<Aggregate['interval']>
  of?: string
  limit?: string
  source?: string
  since?: string
  until?: string
}

const operators = { '=': 'eq', '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' } as const
const isOperator = (text: string | undefined): text is keyof typeof operators =>
  text !== undefined && Object.hasOwn(operators, text)

/** Parses conditions such as status=late, amount>=100 and tags={"in":["a","b"]}. All of them must be true. */
const parseWhere = (given: readonly string[] = []): NonNullable<Body['where']> => {
  const where: Record<string, Record<string, unknown>> = {}
  for (const condition of given) {
    const [, name, operator, text = ''] = /^([^<>=]+)(<=|>=|<|>|=)([\s\S]*)$/.exec(condition) ?? []
    if (name === undefined || !isOperator(operator))
      throw new UsageError(
        `${JSON.stringify(condition)} is no condition: write name=value, name>value or name={"in": […]}.`,
      )
    const value = parseValue(text)
    const isGroup = operator === '=' && typeof value === 'object' && value !== null && !Array.isArray(value)
    where[name] = { ...where[name], ...(isGroup ? value : { [operators[operator]]: value }) }
  }
  return where as NonNullable<Body['where']>
}

const toNumberCell = (value: number | null | undefined): string =>
  value === null || value === undefined ? '' : String(value)

const toGroupColumns = ({ by, of }: Pick<QueryOptions, 'by' | 'of'>): Column<Group>[] => [
  ...(by === undefined
    ? []
    : [{ title: by.toUpperCase(), value: ({ key }: Group) => (typeof key === 'string' ? key : JSON.stringify(key)) }]),
  { title: 'COUNT', value: ({ count }) => count },
  ...(of === undefined
    ? []
    : (['sum', 'avg', 'min', 'max'] as const).map((name) => ({
        title: name.toUpperCase(),
        value: (group: Group) => toNumberCell(group[name]),
      }))),
]

const writeAnswer = async (context: Context, options: QueryOptions, answer: Answer): Promise<void> => {
  const { stdout, stderr } = context
  const { count, aggregate, records, hasMore } = answer
  if (options.json) return writeJson(stdout, answer)
  if (count) {
    await writeLine(stdout, String(count.value))
    if (!count.exact) await writeLine(stderr, 'noema: There are at least so many; a count ends there.')
  }
  if (aggregate) {
    await writeTable(context, options, { rows: aggregate.groups, columns: toGroupColumns(options) })
    if (!aggregate.exact) await writeLine(stderr, 'noema: The counts are at least so large; counting ends there.')
    if (aggregate.hasMore) await writeLine(stderr, 'noema: There are more groups. Narrow them with --where.')
  } else if (!count) {
    await writeTable(context, options, { rows: records, columns: recordColumns })
    if (hasMore)
      await writeLine(stderr, `noema: There are more records than ${records.length}. See --limit and --count.`)
  }
}

/** Reads records of a kind by slug or indexed fields; counts them, or groups them. */
export const query = async (context: Context, kind: string, options: QueryOptions): Promise<number> => {
  const { by, interval, of, count } = options
  const { limit } = parseListLimit(options.limit)
  if (interval !== undefined && by === undefined) throw new UsageError('--interval takes --by, a field of dates.')
  const where = parseWhere(options.where)
  const { brain } = connectBrain(context, options)
  const hasGroups = by !== undefined || of !== undefined
  const body: Body = {
    ...{ kind, where, ...readFilters(options) },
    limit: count ? 1 : Math.min(500, limit),
    ...(count ? { count } : {}),
    ...(hasGroups ? { aggregate: { by, interval, of } } : {}),
  }
  await writeAnswer(context, options, await brain.query(body, { signal: context.signal }))
  return exitCodes.ok
}
