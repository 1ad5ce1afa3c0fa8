import type { BrainClient } from '@noema/sdk'
import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { confirmLoss, parseListLimit } from '../parse-options.ts'
import { type Column, writeList } from '../table.ts'

type WebSources = BrainClient['webSources']
type Answer = Awaited<ReturnType<WebSources['get']>>
type Source = Answer['webSource']
type Page = Answer['pages'][number]

type InBrain = GlobalOptions & { brain: string }
type Sourced = InBrain & { source: string }

const connect = (context: Context, options: InBrain): WebSources =>
  connectClient(context, options).brain(options.brain).webSources

const toDay = (time: string | null): string => time?.slice(0, 16).replace('T', ' ') ?? ''

const sourceColumns: Column<Source>[] = [
  { title: 'SOURCE', value: ({ source }) => source },
  { title: 'PAGES', value: ({ pages }) => String(pages.total) },
  { title: 'FAILING', value: ({ pages }) => String(pages.failing + pages.missing) },
  { title: 'NEXT (UTC)', value: ({ paused, nextRefreshAt }) => (paused ? 'paused' : toDay(nextRefreshAt)) },
]

const pageColumns: Column<Page>[] = [
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'URL', value: ({ url }) => url },
  { title: 'CHECKED (UTC)', value: ({ checkedAt }) => toDay(checkedAt) },
  { title: 'ERROR', value: ({ error }) => error ?? '', shrinks: true },
]

/** The hours of `--every`: null if it is `never`. */
const parseEvery = (given: string | undefined): number | null | undefined => {
  if (given === undefined) return undefined
  if (given === 'never') return null
  const [, count = '', unit = 'h'] = /^(\d{1,4})([hd]?)$/.exec(given) ?? []
  if (count === '') throw new UsageError('--every is a number of hours or days, such as 12h or 7d, or never.')
  return Number(count) * (unit === 'd' ? 24 : 1)
}

const countPages = (count: number): string => `${count} ${count === 1 ? 'page' : 'pages'}`

/** Writes why a source does not go on, and how many pages it has. */
const writeState = async (context: Context, { source, pages, paused, problem }: Source): Promise<void> => {
  await writeLine(context.stdout, `${source}: ${countPages(pages.total)}`)
  if (paused) await writeLine(context.stderr, `noema: ${source} is paused: ${paused.reason}`)
  if (problem !== null) await writeLine(context.stderr, `noema: ${source}: ${problem}`)
}

const answer = async (context: Context, { json }: GlobalOptions, webSource: Source): Promise<number> => {
  await (json ? writeJson(context.stdout, webSource) : writeState(context, webSource))
  return exitCodes.ok
}

/** Adds pages to a web source by their URLs. */
export const addWebPages = async (
  context: Context,
  urls: readonly string[],
  options: Sourced & { every?: string },
): Promise<number> => {
  const refreshHours = parseEvery(options.every)
  const body = { add: [...urls], ...(refreshHours === undefined ? {} : { refreshHours }) }
  const { webSource } = await connect(context, options).changePages(options.source, body, { signal: context.signal })
  return answer(context, options, webSource)
}

/** Removes pages from a web source, after a yes. */
export const removeWebPages = async (
  context: Context,
  urls: readonly string[],
  options: Sourced & { yes?: boolean },
): Promise<number> => {
  await confirmLoss(
    context,
    options,
    `Remove ${countPages(urls.length)} from ${options.source}, and retire their documents?`,
  )
  const call = connect(context, options)
  const { webSource } = await call.changePages(options.source, { remove: [...urls] }, { signal: context.signal })
  return answer(context, options, webSource)
}

/** Lists the web sources of a Brain, or the pages of one. */
export const listWebPages = async (
  context: Context,
  source: string | undefined,
  options: InBrain & { limit?: string },
): Promise<number> => {
  const { limit, page } = parseListLimit(options.limit)
  const call = connect(context, options)
  if (source === undefined) {
    const list = call.list({ limit: page }, { signal: context.signal })
    const none = 'There is no web page yet. Add one: noema web add <url>'
    await writeList(context, options, { list, columns: sourceColumns, limit, none })
  } else {
    const list = call.get(source, { limit: page }, { signal: context.signal })
    await writeList(context, options, { list, columns: pageColumns, limit, none: 'This source has no page.' })
  }
  return exitCodes.ok
}

/** Has all pages of a web source fetched soon. */
export const refreshWebPages = async (context: Context, source: string, options: InBrain): Promise<number> => {
  const { webSource } = await connect(context, options).refresh(source, { signal: context.signal })
  return answer(context, options, webSource)
}

/** Deletes a web source, after a yes. Its documents stay. */
export const deleteWebSource = async (
  context: Context,
  source: string,
  options: InBrain & { yes?: boolean },
): Promise<number> => {
  await confirmLoss(context, options, `Delete the web source ${source}? Its documents stay.`)
  const deleted = await connect(context, options).delete(source, { signal: context.signal })
  if (options.json) await writeJson(context.stdout, deleted)
  return exitCodes.ok
}
