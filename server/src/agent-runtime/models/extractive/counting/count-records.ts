import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { z } from 'zod'
import { type Answer, quoteLine, whatItIs } from '../answer.ts'
import type { Call } from '../proposals/propose.ts'
import { createPause, type Pause } from '../quoting/pacing.ts'
import { readValue } from '../read-document.ts'
import type { Prompt } from '../read-prompt.ts'
import { type Condition, countRecords, type Fields, findConditions, findKind, readCount } from './conditions.ts'

// The steps of a count: the kinds of each Brain are read, then the records of the kind that the question names, page by page, up
// to a bound. If the tool for queries can count, it does.

/** Few steps are left for a count: an agent may have 10 in all. */
const maxPages = 4
const recordsOfPage = 500
/** Records of a page if they are so long that more would not be shown whole. */
const recordsOfSmallPage = 50
const maxUnreadable = 2

const declared = z.object({ schema: z.object({ kinds: z.array(z.object({ kind: z.string() })) }) })
const emerged = z.object({ emerged: z.array(z.object({ kind: z.string() })) })
const page = z.object({
  records: z.array(z.object({ fields: z.record(z.string(), z.unknown()) })),
  cursor: z.string(),
  hasMore: z.boolean(),
  count: z.object({ value: z.int(), exact: z.boolean() }).optional(),
})
const input = z.object({
  kind: z.string().optional(),
  after: z.string().optional(),
  where: z.record(z.string(), z.unknown()).optional(),
  action: z.string().optional(),
})

type Page = z.infer<typeof page>

/** A tool for queries, by the beginning of its name that the tools of one Brain share. */
type Source = { prefix: string; canCount: boolean }

const querying = /^(.*__)?knowledge_query$/

const listSources = ({ tools = [], toolChoice }: LanguageModelV4CallOptions): Source[] => {
  const names = new Set(toolChoice?.type === 'none' ? [] : tools.map(({ name }) => name))
  return tools.flatMap((tool) => {
    const prefix = querying.exec(tool.name)?.[1] ?? ''
    if (!querying.test(tool.name) || !names.has(tool.name) || !names.has(`${prefix}knowledge_schema`)) return []
    const properties = tool.type === 'function' ? tool.inputSchema.properties : undefined
    return [{ prefix, canCount: properties !== undefined && Object.hasOwn(properties, 'count') }]
  })
}

/** The calls that read which kinds there are, where a question counts. */
export const findKindCalls = (options: LanguageModelV4CallOptions, { question }: Prompt): Call[] =>
  readCount(question) === undefined
    ? []
    : listSources(options).flatMap(({ prefix }) =>
        ['get', 'list_emerged'].map((action) => ({ toolName: `${prefix}knowledge_schema`, input: { action } })),
      )

const listKinds = ({ results }: Prompt, { prefix }: Source): string[] => {
  const values = results.flatMap((result) =>
    result.toolName === `${prefix}knowledge_schema` ? [readValue(result)] : [],
  )
  return values.flatMap((value) => [
    ...(declared.safeParse(value).data?.schema.kinds ?? []).map(({ kind }) => kind),
    ...(emerged.safeParse(value).data?.emerged ?? []).map(({ kind }) => kind),
  ])
}

/** The pages of a kind that were read so far, and the count of its records with conditions, if the tool made it. */
type Reading = {
  source: Source
  kind: string
  pages: Page[]
  /** The answer of the tool that counts with conditions: undefined until it was asked, null where it refused. */
  counted: { value: number; exact: boolean } | null | undefined
  /** Pages that were too large to be shown whole. */
  unreadable: number
}

const readReading = ({ results, inputs }: Prompt, source: Source, kind: string): Reading => {
  const reading: Reading = { source, kind, pages: [], counted: undefined, unreadable: 0 }
  for (const result of results) {
    if (result.toolName !== `${source.prefix}knowledge_query`) continue
    const given = input.safeParse(inputs.get(result.toolCallId)).data
    const read = page.safeParse(readValue(result)).data
    if (given?.where !== undefined) reading.counted = read?.count ?? null
    else if (read) reading.pages.push(read)
    else reading.unreadable++
  }
  return reading
}

const listFields = ({ pages }: Reading): Fields[] => pages.flatMap(({ records }) => records.map(({ fields }) => fields))

const askPage = ({ source: { prefix, canCount }, kind, pages, unreadable }: Reading): Call => {
  const after = pages.at(-1)?.cursor
  return {
    toolName: `${prefix}knowledge_query`,
    input: {
      kind,
      limit: unreadable === 0 ? recordsOfPage : recordsOfSmallPage,
      ...(after === undefined ? {} : { after }),
      ...(canCount && after === undefined ? { count: true } : {}),
    },
  }
}

/** A count of one kind: how many, whether there may be more, and by which conditions. */
type Count = {
  source: Source
  kind: string
  value: number
  exact: boolean
  conditions: readonly Condition[]
  read: number
}
type Progress = { call: Call } | { count: Count } | 'unexplained'

const takeCount = async (words: string, reading: Reading, pause: Pause): Promise<Progress> => {
  const { source, kind, pages, counted, unreadable } = reading
  const last = pages.at(-1)
  if (!last) return unreadable < maxUnreadable ? { call: askPage(reading) } : 'unexplained'
  const records = listFields(reading)
  const read = records.length
  const isAll = !last.hasMore
  const conditions = await findConditions(words, { kind, records, pause })
  const mayRead = !isAll && pages.length < maxPages && unreadable < maxUnreadable
  if (!conditions) return mayRead ? { call: askPage(reading) } : 'unexplained'
  const whole = pages[0]?.count
  if (conditions.length === 0 && whole) return { count: { source, kind, conditions, read, ...whole } }
  if (!isAll && counted) return { count: { source, kind, conditions, read, ...counted } }
  if (!isAll && source.canCount && counted === undefined) {
    const where = Object.fromEntries(conditions.map(({ field, value }) => [field, value]))
    return { call: { toolName: `${source.prefix}knowledge_query`, input: { kind, where, limit: 1, count: true } } }
  }
  if (mayRead) return { call: askPage(reading) }
  const value = await countRecords(records, conditions, pause)
  return { count: { source, kind, value, exact: isAll, conditions, read } }
}

const describeCount = ({ source: { prefix }, kind, value, exact, conditions, read }: Count): string => {
  const where = conditions.map(({ field, value: held }) => `${field}: ${held}`).join(', ')
  const records = `${value} ${value === 1 ? 'record' : 'records'} of the kind ${JSON.stringify(kind)}`
  const brain = prefix === '' ? '' : ` in the Brain ${prefix.replace(/__$/, '')}`
  const sum = `${exact ? '' : 'At least '}${records}${brain}${where === '' ? '' : ` with ${where}`}`
  return quoteLine(exact ? `${sum}.` : `${sum}, of the first ${read} that were read.`)
}

const answerCount = (counts: readonly Count[]): Answer => ({
  text: [`Counted (${whatItIs}):`, ...counts.map(describeCount)].join('\n\n'),
  sources: [],
  citations: [],
})

/**
 * Takes the next step of a count: calls, or its answer. Returns undefined if the question does not count, names no kind of any Brain,
 * or has words that the records do not explain.
 */
export const takeCountStep = async (
  options: LanguageModelV4CallOptions,
  prompt: Prompt,
): Promise<{ calls: Call[] } | { answer: Answer } | undefined> => {
  const words = readCount(prompt.question)
  if (words === undefined) return undefined
  const pause = createPause()
  const progress: Progress[] = []
  for (const source of listSources(options)) {
    const kind = findKind(words, listKinds(prompt, source))
    if (kind !== undefined) progress.push(await takeCount(words, readReading(prompt, source, kind), pause))
  }
  if (progress.length === 0) return undefined
  const calls = progress.flatMap((one) => (one !== 'unexplained' && 'call' in one ? [one.call] : []))
  if (calls.length > 0) return { calls }
  const counts = progress.flatMap((one) => (one !== 'unexplained' && 'count' in one ? [one.count] : []))
  return counts.length < progress.length ? undefined : { answer: answerCount(counts) }
}
