import { derivedPageEndpoints } from '@noema/contracts/derived-pages.ts'
import type { BrainClient } from '@noema/sdk'
import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { confirmLoss, parseListLimit } from '../parse-options.ts'
import { type Column, writeList } from '../table.ts'
import { findAgent } from './find-agent.ts'

type Options = GlobalOptions & { brain: string }
type Page = Awaited<ReturnType<BrainClient['derivedPages']['get']>>['derivedPage']
type Given = Parameters<BrainClient['derivedPages']['put']>[1]

const open = (context: Context, options: Options) => connectClient(context, options).brain(options.brain).derivedPages

const describeSource = ({ question, addresses = [] }: Page): string =>
  question ?? addresses.map(({ type, id }) => `${type}:${id}`).join(' ')

const columns: Column<Page>[] = [
  { title: 'DOCUMENT', value: ({ documentId }) => documentId },
  { title: 'STATE', value: ({ state }) => state },
  { title: 'CHANGE', value: ({ change }) => change ?? '' },
  { title: 'MADE FROM', value: describeSource, shrinks: true },
]

/** Lists the documents of a Brain that agents keep up to date. */
export const listDerivedPages = async (context: Context, options: Options & { limit?: string }): Promise<number> => {
  const { limit, page } = parseListLimit(options.limit)
  const list = open(context, options).list({ limit: page }, { signal: context.signal })
  const none = 'There is no derived page. Make one: noema derived set <document> --agent <agent> --question <text>'
  await writeList(context, options, { list, columns, limit, none })
  return exitCodes.ok
}

const write = async ({ stdout }: Context, page: Page, { json }: GlobalOptions): Promise<void> => {
  if (json) return writeJson(stdout, page)
  const { documentId, agentId, state, change, paused, rewrites } = page
  await writeLine(stdout, `${documentId}  ${state}  ${change ?? ''}`.trimEnd())
  await writeLine(stdout, `Agent ${agentId}: ${describeSource(page)}`)
  if (paused) await writeLine(stdout, `Paused: ${paused.reason}`)
  for (const { at, change: written, reason } of rewrites) await writeLine(stdout, `  ${at}  ${written}  ${reason}`)
}

/** Shows how a document is kept up to date, with its latest rewrites. */
export const showDerivedPage = async (context: Context, id: string, options: Options): Promise<number> => {
  const { derivedPage } = await open(context, options).get(id, { signal: context.signal })
  await write(context, derivedPage, options)
  return exitCodes.ok
}

type Setting = Options & { agent: string; question?: string; item?: string[] }

const toAddress = (text: string): object => {
  const [type, ...id] = text.split(':')
  return { type, id: id.join(':') }
}

const toGiven = async (context: Context, { agent, question, item, ...options }: Setting): Promise<Given> => {
  const { id: agentId } = await findAgent(connectClient(context, options), agent, context.signal)
  const given = {
    agentId,
    ...(question === undefined ? {} : { question }),
    ...(item === undefined ? {} : { addresses: item.map(toAddress) }),
  }
  const parsed = derivedPageEndpoints.put.body.safeParse(given)
  if (parsed.success) return parsed.data
  throw new UsageError(
    `Send either --question or --item, each item as type:id, such as record:ship-1. ${parsed.error.issues[0]?.message}`,
  )
}

/** Lets an agent write a document, and write it again when something changes that it was made of. */
export const setDerivedPage = async (context: Context, id: string, options: Setting): Promise<number> => {
  const { signal } = context
  const { derivedPage } = await open(context, options).put(id, await toGiven(context, options), { signal })
  await write(context, derivedPage, options)
  return exitCodes.ok
}

/** Ends the rewrites of a document, after a yes. The document stays. */
export const stopDerivedPage = async (
  context: Context,
  id: string,
  options: Options & { yes?: boolean },
): Promise<number> => {
  await confirmLoss(context, options, `Stop the rewrites of the document ${id}? It stays as it is.`)
  const answer = await open(context, options).delete(id, { signal: context.signal })
  if (options.json) await writeJson(context.stdout, answer)
  return exitCodes.ok
}
