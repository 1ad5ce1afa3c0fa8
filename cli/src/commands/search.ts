import { styleText } from 'node:util'
import type { BrainClient } from '@noema/sdk'
import { type Context, connectClient, type GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { isLively, printable, writeJson, writeLine, writeStyledLine } from '../output.ts'

type Found = Awaited<ReturnType<BrainClient['search']>>
type Hit = Found['results'][number]

export type SearchOptions = GlobalOptions & {
  brain: string
  mode?: Found['mode']
  limit?: string
  types?: string
  kinds?: string
}

/** What `--mode` and `--types` may say. */
export const searchModes = ['hybrid', 'lexical', 'semantic'] as const satisfies Found['mode'][]
const types = ['record', 'statement', 'document'] as const satisfies Hit['type'][]

const splitList = (text: string | undefined): string[] | undefined => text?.split(',').map((part) => part.trim())

const parseTypes = (text: string | undefined): Hit['type'][] | undefined =>
  splitList(text)?.map((name) => {
    const type = types.find((known) => known === name)
    if (!type) throw new UsageError(`Unknown type ${JSON.stringify(name)} in --types; known are ${types.join(', ')}.`)
    return type
  })

const parseLimit = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > 100) throw new UsageError('--limit is a whole number from 1 to 100.')
  return limit
}

const formatHit = ({ type, kind, id, version }: Hit): string =>
  `${type === 'record' ? `${kind ?? type} ` : ''}${id}${type === 'statement' ? '' : ` version ${version}`}`

/** A snippet on one line, the words of the query in bold where `mark` makes them so. */
const formatSnippet = ({ snippet, highlights }: Hit, mark: (text: string) => string): string => {
  const parts: string[] = []
  const plain = (text: string) => printable(text.replaceAll(/\s+/g, ' '))
  let from = 0
  for (const { start, end } of highlights) {
    parts.push(plain(snippet.slice(from, start)), mark(plain(snippet.slice(start, end))))
    from = end
  }
  return [...parts, plain(snippet.slice(from))].join('')
}

/**
 * Searches a Brain and prints what was found, best first: its address and title, and a snippet below. With `--json` each
 * result is a line, and what is said of the search as a whole goes to standard error.
 */
export const search = async (context: Context, words: readonly string[], options: SearchOptions): Promise<number> => {
  const { signal, stdout, stderr, env } = context
  const query = {
    q: words.join(' '),
    mode: options.mode,
    limit: parseLimit(options.limit),
    types: parseTypes(options.types),
    kinds: splitList(options.kinds),
    consumerId: 'noema-cli',
  }
  const { results, ...about } = await connectClient(context, options).brain(options.brain).search(query, { signal })
  if (options.json) {
    for (const hit of results) await writeJson(stdout, hit)
    await writeJson(stderr, about)
    return exitCodes.ok
  }
  const isStyled = isLively(stdout, env, false)
  const bold = (text: string) => (isStyled ? styleText('bold', text, { validateStream: false }) : text)
  for (const hit of results) {
    await writeLine(stdout, `${formatHit(hit)}  ${hit.title}`)
    await writeStyledLine(stdout, `    ${formatSnippet(hit, bold)}`)
  }
  if (results.length === 0) await writeLine(stderr, 'Nothing was found.')
  for (const { message } of about.degraded ?? []) await writeLine(stderr, `noema: ${message}`)
  return exitCodes.ok
}
