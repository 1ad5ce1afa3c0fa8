import { quotedAddress } from '@noema/contracts/run-stream.ts'
import type { Source, StepText } from '../features/agents/messages/answers.ts'

/** A place of a text that a source supports, as OpenAI's API has citations. */
export type Citation = {
  start_index: number
  end_index: number
  title: string
  url: string
  noema?: { brain?: string; type: 'record' | 'statement' | 'document'; id: string; version: number }
}

/** The parts of addresses: the service, and the Brain of sources that name none. */
export type SourceBase = { publicUrl: string; brainHandle: string | null }

type Cited = Pick<Citation, 'title' | 'url' | 'noema'> & { quotes: readonly string[] }

/** A source with its page: a web page, or the one that the console has for an item of a Brain. */
const toCited = ({ publicUrl, brainHandle }: SourceBase, source: Source): Cited | undefined => {
  const title = source.title ?? source.url ?? source.id
  if (source.url !== undefined) return { title, url: source.url, quotes: [] }
  const address = quotedAddress.safeParse(source.providerMetadata?.noema)
  if (!address.success) return undefined
  const { brain = brainHandle, type, id, version, quotes } = address.data
  const item = { ...(brain === null ? {} : { brain }), type, id, version }
  const path = `/brains/${encodeURIComponent(brain ?? '')}/${type}s/${encodeURIComponent(id)}`
  return { title, url: `${publicUrl}${path}`, noema: item, quotes }
}

/** The places of quotes in a text, or its end for a source whose quotes are not in it word for word. */
const findPlaces = (text: string, quotes: readonly string[]): [number, number][] => {
  const found = quotes.flatMap((quote): [number, number][] => {
    const start = quote === '' ? -1 : text.indexOf(quote)
    return start === -1 ? [] : [[start, start + quote.length]]
  })
  return found.length > 0 ? found : [[text.length, text.length]]
}

/** The citations of the text of a step. `offset`: where that text begins in the answer. */
export const toCitations = (
  base: SourceBase,
  { text, sources }: Pick<StepText, 'text' | 'sources'>,
  offset = 0,
): Citation[] =>
  sources.flatMap((source) => {
    const cited = toCited(base, source)
    if (!cited) return []
    const { quotes, ...rest } = cited
    return findPlaces(text, quotes).map(([start, end]) => ({
      ...{ start_index: offset + start, end_index: offset + end },
      ...rest,
    }))
  })
