import type { Evidence, MinEvidence } from '@noema/contracts/search.ts'
import type { BrainClient } from './client.ts'

// Retrieval for frameworks: passages with their addresses, for retrievers, and one text for a prompt, for memories.

/** Options of a retrieval, the same in every framework. */
export type RetrievalOptions = {
  /**
   * `context`, the default: whole items and joined passages, as many as fit the budget. `search`: the best passage of each
   * item, at most 400 characters. Both search by words and meaning.
   */
  method?: 'context' | 'search' | undefined
  /** The maximum number of items, 1 to 100. Default: 20 of a context, 10 of a search. */
  limit?: number | undefined
  /** Leaves out items with less evidence that they answer the query. */
  minEvidence?: MinEvidence | undefined
  /** Only records of these kinds, and statements about them. */
  kinds?: readonly string[] | undefined
  /** Only items of these types. */
  types?: readonly ('record' | 'statement' | 'document')[] | undefined
  /** Only from this source: its exact name. */
  source?: string | undefined
  /** Only what happened, or else was created, at or after this time: ISO 8601. */
  since?: string | undefined
  /** Only what happened, or else was created, before this time: ISO 8601. */
  until?: string | undefined
  /** Only documents whose metadata has these values; the schema says which keys can be used. */
  metadata?: Readonly<Record<string, string | number | boolean>> | undefined
  /** Reads the Brain as it was at this stateVersion. */
  asOf?: number | undefined
  /** The budget of a context in tokens, 200 to 100,000; default 4,000. */
  tokens?: number | undefined
  /** Your name for the reader. Receipts can be listed by it. */
  consumerId?: string | undefined
}

/** The address of a passage, and the judgment about it: enough to trace an answer back. */
export type PassageMetadata = {
  type: 'record' | 'statement' | 'document'
  id: string
  version: number
  title: string
  /** A record's kind, or that of the record that a statement is about. */
  kind?: string
  /** Higher is better; comparable within one retrieval only. */
  score: number
  /** The evidence that this item answers the query; comparable between retrievals. */
  evidence: Evidence
  /** The receipt of the read: it lists the versions that were returned, and whether they have changed since. */
  receipt: string
  /** The state of the Brain that was read. */
  stateVersion: number
}

/** A text of a Brain with its address. */
export type Passage = { text: string; metadata: PassageMetadata }

type CallOptions = { signal?: AbortSignal | undefined }

type Found = Omit<PassageMetadata, 'kind' | 'receipt' | 'stateVersion'> & { kind?: string | undefined }
type Read = { receipt: string; stateVersion: number }

const toMetadata = (found: Found, { receipt, stateVersion }: Read): PassageMetadata => {
  const { type, id, version, title, kind, score, evidence } = found
  return { type, id, version, title, ...(kind === undefined ? {} : { kind }), score, evidence, receipt, stateVersion }
}

const frameStart = /^\[\[(\w+) item (\d+): /

/**
 * The text of each item of a context, by its number. Items stand between lines with a mark that no item has, and each line of
 * an item begins with ">", so nothing that was written into the Brain can end its frame.
 */
const splitContext = (context: string): Map<number, string> => {
  const texts = new Map<number, string>()
  let open: { end: string; number: number; lines: string[] } | undefined
  for (const line of context.split('\n')) {
    if (open && line === open.end) {
      texts.set(open.number, open.lines.join('\n'))
      open = undefined
    } else if (open) open.lines.push(line.replace(/^> ?/, ''))
    else {
      const [, mark, number] = frameStart.exec(line) ?? []
      if (mark !== undefined) open = { end: `[[${mark} end ${number}]]`, number: Number(number), lines: [] }
    }
  }
  return texts
}

const searchPassages = async (
  brain: BrainClient,
  q: string,
  { options, signal }: { options: RetrievalOptions; signal: AbortSignal | undefined },
): Promise<Passage[]> => {
  const { method: _method, tokens: _tokens, ...rest } = options
  const query = { q, ...rest }
  const found = await brain.search(query, { signal })
  return found.results.map((hit) => ({ text: hit.snippet, metadata: toMetadata(hit, found) }))
}

const toFilters = ({ source, since, until, metadata }: RetrievalOptions) => ({
  ...(source === undefined ? {} : { source }),
  ...(since === undefined ? {} : { since }),
  ...(until === undefined ? {} : { until }),
  ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
})

/** The body of a context without what is left out: the service takes no null. */
const toContextBody = ({
  limit,
  minEvidence,
  kinds,
  types,
  asOf,
  tokens,
  consumerId,
  ...filters
}: RetrievalOptions) => ({
  ...toFilters(filters),
  ...(limit === undefined ? {} : { limit }),
  ...(minEvidence === undefined ? {} : { minEvidence }),
  ...(kinds === undefined ? {} : { kinds: [...kinds] }),
  ...(types === undefined ? {} : { include: [...types] }),
  ...(asOf === undefined ? {} : { asOf }),
  ...(tokens === undefined ? {} : { budget: { tokens } }),
  ...(consumerId === undefined ? {} : { consumerId }),
})

/**
 * Finds passages for a query, the best first, each with its address, its evidence and the receipt of the read. With the
 * default `method`, nothing is returned where nothing seems to answer the query. Rejects with an `ApiError`.
 */
export const retrievePassages = async (
  brain: BrainClient,
  query: string,
  options: RetrievalOptions = {},
  { signal }: CallOptions = {},
): Promise<Passage[]> => {
  if (options.method === 'search') return searchPassages(brain, query, { options, signal })
  const read = await brain.context({ query, ...toContextBody(options) }, { signal })
  const texts = splitContext(read.context)
  const passages = read.items.map((item) => ({ text: texts.get(item.item) ?? '', metadata: toMetadata(item, read) }))
  return passages.sort((one, other) => other.metadata.score - one.metadata.score)
}

/** A message of a conversation, as a recall reads it. */
export type RecallMessage = { role: 'system' | 'user' | 'assistant' | 'tool'; text: string }

/** Options of a recall, the same in every framework. */
export type RecallOptions = Omit<RetrievalOptions, 'method'>

/** The knowledge for a prompt: Markdown whose items are quoted data, and the receipt of the read. */
export type Recalled = { text: string; evidence: Evidence; receipt: string; stateVersion: number }

/** The latest part of a conversation decides what is relevant. */
const maxMessages = 20

/**
 * Collects what is relevant to the latest part of a conversation, as one text for a prompt. Undefined where nothing seems to be
 * relevant, or no message has a text. Rejects with an `ApiError`.
 */
export const recall = async (
  brain: BrainClient,
  messages: readonly RecallMessage[],
  options: RecallOptions = {},
  { signal }: CallOptions = {},
): Promise<Recalled | undefined> => {
  const latest = messages.filter(({ text }) => text.trim() !== '').slice(-maxMessages)
  if (latest.length === 0) return undefined
  const read = await brain.context({ messages: latest, ...toContextBody(options) }, { signal })
  if (read.evidence === 'none') return undefined
  return { text: read.context, evidence: read.evidence, receipt: read.receipt, stateVersion: read.stateVersion }
}
