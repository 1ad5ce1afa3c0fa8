import type { Client } from '@noema/sdk'
import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine, writeStyledLine } from '../output.ts'
import { confirmLoss, parseListLimit, readJsonInput } from '../parse-options.ts'
import { type Column, writeList } from '../table.ts'
import { type CollectingOptions, describeContext, toContextRequest } from './read-context.ts'
import { readFilters } from './read-filters.ts'
import { parseSearchLimit, type SearchingOptions, writeResults } from './search.ts'

type Corpora = Client['corpora']
type Corpus = Awaited<ReturnType<Corpora['get']>>['corpus']
type Parts = Parameters<Corpora['put']>[1]['parts']
type Read = Pick<Awaited<ReturnType<Corpora['search']>>, 'parts' | 'failed' | 'degraded'>

const nameParts = ({ parts }: Corpus): string => parts.map(({ brain }) => brain ?? '(gone)').join(', ')

const columns: Column<Corpus>[] = [
  { title: 'CORPUS', value: ({ name }) => name },
  { title: 'BRAINS', value: nameParts, shrinks: true },
]

/** Lists the corpora of the organization. */
export const listCorpora = async (context: Context, options: GlobalOptions & { limit?: string }): Promise<number> => {
  const { limit, page } = parseListLimit(options.limit)
  const list = connectClient(context, options).corpora.list({ limit: page }, { signal: context.signal })
  await writeList(context, options, {
    ...{ list, columns, limit },
    none: 'There is no corpus yet. Make one: noema corpora put <name> <brain...>',
  })
  return exitCodes.ok
}

/** Creates or replaces a corpus of some Brains, or of the parts in a file. */
export const putCorpus = async (
  context: Context,
  { name, brains }: { name: string; brains: readonly string[] },
  options: GlobalOptions & { file?: string },
): Promise<number> => {
  const { file, json } = options
  if ((file === undefined) === (brains.length === 0))
    throw new UsageError('Name the Brains, or a --file with the parts.')
  const parts = file === undefined ? brains.map((brain) => ({ brain })) : await readJsonInput<Parts>(context, file)
  const { corpus } = await connectClient(context, options).corpora.put(name, { parts }, { signal: context.signal })
  await (json ? writeJson(context.stdout, corpus) : writeLine(context.stdout, corpus.name))
  return exitCodes.ok
}

/** Shows a corpus: its Brains, and what of each is read. */
export const showCorpus = async (context: Context, name: string, options: GlobalOptions): Promise<number> => {
  const { corpus } = await connectClient(context, options).corpora.get(name, { signal: context.signal })
  if (options.json) {
    await writeJson(context.stdout, corpus)
    return exitCodes.ok
  }
  for (const { brain, ...section } of corpus.parts) {
    const read = Object.entries(section).map(([key, value]) => `${key} ${JSON.stringify(value)}`)
    await writeLine(context.stdout, [brain ?? '(no Brain that you can read)', ...read].join('  '))
  }
  return exitCodes.ok
}

/** Deletes a corpus, after a yes. Its Brains stay. */
export const deleteCorpus = async (
  context: Context,
  name: string,
  options: GlobalOptions & { yes?: boolean },
): Promise<number> => {
  await confirmLoss(context, options, `Delete the corpus ${name}? Its Brains stay.`)
  const answer = await connectClient(context, options).corpora.delete(name, { signal: context.signal })
  if (options.json) await writeJson(context.stdout, answer)
  return exitCodes.ok
}

/** Writes why the answer of a corpus may be incomplete. */
const writeNotes = async ({ stderr }: Context, { parts, failed, degraded = [] }: Read): Promise<void> => {
  for (const { part, brain, message } of failed)
    await writeLine(stderr, `noema: Part ${part}${brain === null ? '' : ` (${brain})`} was left out: ${message}`)
  for (const { brain, degraded: reasons = [] } of parts)
    for (const { message } of reasons) await writeLine(stderr, `noema: ${brain.handle}: ${message}`)
  for (const { message } of degraded) await writeLine(stderr, `noema: ${message}`)
}

/** Searches a corpus and prints the results, as `noema search` does; each begins with its Brain. */
export const searchCorpus = async (
  context: Context,
  name: string,
  { words, options }: { words: readonly string[]; options: SearchingOptions },
): Promise<number> => {
  const { mode, minEvidence } = options
  const limit = parseSearchLimit(options.limit)
  const body = {
    ...{ q: words.join(' '), consumerId: 'noema-cli' },
    ...(mode === undefined ? {} : { mode }),
    ...(limit === undefined ? {} : { limit }),
    ...readFilters(options),
    ...(minEvidence === undefined ? {} : { minEvidence }),
  }
  const found = await connectClient(context, options).corpora.search(name, body, { signal: context.signal })
  const { results, ...about } = found
  if (options.json) {
    for (const hit of results) await writeJson(context.stdout, hit)
    await writeJson(context.stderr, about)
    return exitCodes.ok
  }
  await writeResults(context, found, options)
  await writeNotes(context, found)
  return exitCodes.ok
}

/** Prints a context from a corpus as Markdown, as `noema context` does. */
export const readCorpusContext = async (
  context: Context,
  name: string,
  { words, options }: { words: readonly string[]; options: CollectingOptions },
): Promise<number> => {
  const request = toContextRequest(words, options)
  const answer = await connectClient(context, options).corpora.context(name, request, { signal: context.signal })
  if (options.json) {
    await writeJson(context.stdout, answer)
    return exitCodes.ok
  }
  await writeStyledLine(context.stdout, answer.context)
  const receipts = answer.parts.map(({ brain, receipt }) => `${brain.handle} ${receipt}`).join(', ')
  await writeLine(context.stderr, describeContext(answer, receipts))
  await writeNotes(context, answer)
  return exitCodes.ok
}
