import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine, writeStyledLine } from '../output.ts'
import { type FilterOptions, readFilters } from './read-filters.ts'
import type { MinEvidence } from './search.ts'

export type ReadContextOptions = GlobalOptions &
  FilterOptions & {
    brain: string
    tokens?: string
    minEvidence?: MinEvidence
  }

const parseTokens = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  if (!/^\d{1,6}$/.test(text)) throw new UsageError('--tokens is a whole number from 200 to 100,000.')
  return Number(text)
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
  const tokens = parseTokens(options.tokens)
  const question = {
    query: words.join(' '),
    consumerId: 'noema-cli',
    ...(tokens === undefined ? {} : { budget: { tokens } }),
    ...readFilters(options),
    ...(options.minEvidence === undefined ? {} : { minEvidence: options.minEvidence }),
  }
  const answer = await connectClient(context, options).brain(options.brain).context(question, { signal })
  if (options.json) {
    await writeJson(stdout, answer)
    return exitCodes.ok
  }
  const { items, budget, receipt, degraded = [] } = answer
  // The service has replaced each character that could control a terminal.
  await writeStyledLine(stdout, answer.context)
  const count = `${items.length} ${items.length === 1 ? 'item' : 'items'}`
  const left = budget.dropped === 0 ? '' : ` ${budget.dropped} more did not fit.`
  await writeLine(stderr, `noema: ${count}, ${budget.used} of ${budget.tokens} tokens, ${receipt}.${left}`)
  for (const { message } of degraded) await writeLine(stderr, `noema: ${message}`)
  return exitCodes.ok
}
