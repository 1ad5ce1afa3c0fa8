import { styleText } from 'node:util'
import type { BrainClient } from '@noema/sdk'
import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { isLively, printable, writeJson, writeLine, writeStyledLine } from '../output.ts'
import { toWidth } from '../table.ts'
import { type FilterOptions, readFilters } from './read-filters.ts'

type Found = Awaited<ReturnType<BrainClient['search']>>
/** A result; one of a corpus names its Brain. */
type Hit = Found['results'][number] & { brain?: { handle: string } }
type Judged = { results: readonly Hit[]; evidence: Evidence }
type Evidence = Found['evidence']
export type MinEvidence = Exclude<Evidence, 'none'>

/** The options of a search of a Brain or a corpus. */
export type SearchingOptions = GlobalOptions &
  FilterOptions & {
    mode?: Found['mode']
    limit?: string
    minEvidence?: MinEvidence
  }
export type SearchOptions = SearchingOptions & { brain: string }

/** The values of `--mode`. */
export const searchModes = ['hybrid', 'lexical', 'semantic'] as const satisfies Found['mode'][]
/** The values of `--min-evidence`. */
export const minEvidences = ['weak', 'strong'] as const satisfies MinEvidence[]

/** The limit of a search. */
export const parseSearchLimit = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > 100) throw new UsageError('--limit is a whole number from 1 to 100.')
  return limit
}

const formatHit = ({ type, kind, id, version, brain }: Hit): string =>
  `${brain ? `${brain.handle}: ` : ''}${type === 'record' ? `${kind ?? type} ` : ''}${id}${type === 'statement' ? '' : ` version ${version}`}`

type Piece = { text: string; isHighlighted: boolean }

/** A snippet in pieces, its white space made one. */
const toPieces = ({ snippet, highlights }: Hit): Piece[] => {
  const pieces: Piece[] = []
  const add = (text: string, isHighlighted: boolean) =>
    pieces.push({ text: printable(text.replaceAll(/\s+/g, ' ')), isHighlighted })
  let from = 0
  for (const { start, end } of highlights) {
    add(snippet.slice(from, start), false)
    add(snippet.slice(start, end), true)
    from = end
  }
  add(snippet.slice(from), false)
  return pieces
}

/** A snippet in lines of so many columns, the words of the query in bold where `mark` makes them so. */
const formatSnippet = (hit: Hit, width: number, mark: (text: string) => string): string[] => {
  const lines = ['']
  let used = 0
  for (const { text, isHighlighted } of toPieces(hit))
    for (const word of text.split(/(?<= )/)) {
      const length = toWidth(word.trimEnd())
      if (used > 0 && used + length > width) {
        lines.push('')
        used = 0
      }
      lines.push(`${lines.pop()}${isHighlighted ? mark(word) : word}`)
      used += toWidth(word)
    }
  return lines.map((line) => line.trimEnd())
}

/** Describes a search as a whole; undefined if its results are enough. */
const describeEvidence = ({ results, evidence }: Judged, min: MinEvidence | undefined): string | undefined => {
  if (evidence === 'strong') return undefined
  if (evidence === 'weak') return 'The evidence is weak: the results may not answer this.'
  if (results.length > 0) return 'Nothing here seems to answer this. These are the nearest results.'
  return min === undefined ? 'Nothing was found.' : `Nothing here seems to answer this with ${min} evidence.`
}

/** Prints results, best first: evidence, address and title, with a snippet below. Notes on the whole go to standard error. */
export const writeResults = async (
  { stdout, stderr, env }: Context,
  found: Judged,
  { minEvidence }: Pick<SearchingOptions, 'minEvidence'>,
): Promise<void> => {
  const isStyled = isLively(stdout, env, false)
  const bold = (text: string) => (isStyled ? styleText('bold', text, { validateStream: false }) : text)
  const width = stdout.isTTY ? Math.max(20, (stdout.columns ?? 80) - 8) : Number.POSITIVE_INFINITY
  for (const hit of found.results) {
    await writeLine(stdout, `${hit.evidence.padEnd(6)}  ${formatHit(hit)}  ${hit.title}`)
    for (const line of formatSnippet(hit, width, bold)) await writeStyledLine(stdout, `        ${line}`)
  }
  const judgement = describeEvidence(found, minEvidence)
  if (judgement !== undefined) await writeLine(stderr, `noema: ${judgement}`)
}

/**
 * Searches a Brain and prints the results, best first: evidence, address and title, with a snippet below. With `--json`
 * each result is a line, and notes on the search as a whole go to standard error.
 */
export const search = async (context: Context, words: readonly string[], options: SearchOptions): Promise<number> => {
  const { signal, stdout, stderr } = context
  const query = {
    q: words.join(' '),
    mode: options.mode,
    limit: parseSearchLimit(options.limit),
    ...readFilters(options),
    minEvidence: options.minEvidence,
    consumerId: 'noema-cli',
  }
  const found = await connectClient(context, options).brain(options.brain).search(query, { signal })
  const { results, ...about } = found
  if (options.json) {
    for (const hit of results) await writeJson(stdout, hit)
    await writeJson(stderr, about)
    return exitCodes.ok
  }
  await writeResults(context, found, options)
  for (const { message } of about.degraded ?? []) await writeLine(stderr, `noema: ${message}`)
  return exitCodes.ok
}
