import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine, writeStyledLine } from '../output.ts'
import { type FilterOptions, readFilters } from './read-filters.ts'
import type { MinEvidence } from './search.ts'

/** The options of a context of a Brain or a corpus. */
export type CollectingOptions = GlobalOptions &
  FilterOptions & {
    tokens?: string
    minEvidence?: MinEvidence
  }
export type ReadContextOptions = CollectingOptions & { brain: string }

const parseTokens = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  if (!/^\d{1,6}$/.test(text)) throw new UsageError('--tokens is a whole number from 200 to 100,000.')
  return Number(text)
}

/** The request of a context, as words and options give it. */
export const toContextRequest = (words: readonly string[], options: CollectingOptions) => {
  const tokens = parseTokens(options.tokens)
  return {
    query: words.join(' '),
    consumerId: 'noema-cli',
    ...(tokens === undefined ? {} : { budget: { tokens } }),
    ...readFilters(options),
    ...(options.minEvidence === undefined ? {} : { minEvidence: options.minEvidence }),
  }
}

/** Describes a context in a line: its items, its tokens and its receipts. */
export const describeContext = (
  { items, budget }: { items: readonly unknown[]; budget: { used: number; tokens: number; dropped: number } },
  receipts: string,
): string => {
  const count = `${items.length} ${items.length === 1 ? 'item' : 'items'}`
  const left = budget.dropped === 0 ? '' : ` ${budget.dropped} more did not fit.`
  return `noema: ${count}, ${budget.used} of ${budget.tokens} tokens, ${receipts}.${left}`
}

/**
 * Prints a context for a question as Markdown, to be passed to a model. Notes go to standard error. With `--json` the whole
 * answer is one line.
 */
export const readContext = async (
  context: Context,
  words: readonly string[],
  options: ReadContextOptions,
): Promise<number> => {
  const { signal, stdout, stderr } = context
  const question = toContextRequest(words, options)
  const answer = await connectClient(context, options).brain(options.brain).context(question, { signal })
  if (options.json) {
    await writeJson(stdout, answer)
    return exitCodes.ok
  }
  const { receipt, degraded = [] } = answer
  // The service has replaced each character that could control a terminal.
  await writeStyledLine(stdout, answer.context)
  await writeLine(stderr, describeContext(answer, receipt))
  for (const { message } of degraded) await writeLine(stderr, `noema: ${message}`)
  return exitCodes.ok
}
