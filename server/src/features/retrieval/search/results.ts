import type { Result } from '@noema/contracts/endpoint.ts'
import type { searchBrain } from '@noema/contracts/search.ts'
import type { Judged } from '../evidence/evidence.ts'
import type { LivePassage, Snippet } from '../lexical-index/types.ts'
import type { Ranked } from './ranking.ts'

/** A version that was found by a passage. */
export type Hit = LivePassage &
  Pick<Ranked, 'score' | 'isLifted'> &
  Judged & {
    /** The searched Brain that it is from, by its place among all. */
    owner: number
    /** True if a reranker chose its position; `score` is the relevance that it returned. */
    isReranked?: boolean
    /** The link by which the second search found it. */
    link?: Link
    /** The alias that the query has. */
    alias?: string
  }

/** The hit that leads to another one, by names that both have, or by a link of the first. */
export type Link = { from: Hit; names: readonly string[] }

/** The item of a hit, the same for all passages of it. */
export const toKey = ({ owner, type, id }: Hit): string => `${owner} ${type} ${id}`

type Answered = Result<typeof searchBrain>['results'][number]

const round = (value: number): number => Math.round(value * 10_000) / 10_000

/** The explanation of the second search. The item that led here is named only if the response has it. */
const explainLink = ({ from, names }: Link, hits: readonly Hit[]): Answered['why'][number] => {
  const { owner, type, id, title } = from
  const isThere = hits.some((hit) => hit.owner === owner && hit.type === type && hit.id === id)
  return { reason: 'linked', names: isThere ? [...names] : [], ...(isThere ? { from: { type, id, title } } : {}) }
}

const explain = (hit: Hit, { words }: Snippet, hits: readonly Hit[]): Answered['why'] => {
  const { similarity, isLifted, isReranked, score, link, alias } = hit
  return [
    ...(alias === undefined ? [] : [{ reason: 'alias' as const, alias }]),
    ...(words.length > 0 ? [{ reason: 'words' as const, words }] : []),
    ...(Number.isNaN(similarity) ? [] : [{ reason: 'meaning' as const, similarity: round(similarity) }]),
    ...(isLifted ? [{ reason: 'neighbour' as const }] : []),
    ...(link ? [explainLink(link, hits)] : []),
    ...(isReranked ? [{ reason: 'reranked' as const, relevance: round(score) }] : []),
  ]
}

/** Returns hits as search results, each with its snippet. */
export const toResults = (hits: readonly Hit[], snippets: readonly Snippet[]): Answered[] =>
  snippets.flatMap((snippet, index) => {
    const hit = hits[index]
    if (!hit) return []
    const { type, id, kind, version, title, page, score, evidence, provenance } = hit
    const start = hit.starts + snippet.start
    return {
      type,
      id,
      ...(kind === undefined ? {} : { kind }),
      version,
      title,
      snippet: snippet.text,
      highlights: snippet.highlights,
      ...(type === 'document' ? { span: { start, end: start + snippet.text.length } } : {}),
      ...(page === null ? {} : { page }),
      score: round(score),
      evidence,
      why: explain(hit, snippet, hits),
      provenance,
    }
  })
