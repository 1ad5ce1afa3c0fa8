import type { ReadSource } from '../../../storage/database.ts'
import type { ContentType } from '../../kernel/versioning/types.ts'
import { contentText } from '../../knowledge/content-text/content-text.ts'
import { countContentTerms, countQueryTerms, findTerms } from '../terms/terms.ts'
import { type Collection, countHolders, findBest, type QueryTerm, scorePassages } from './bm25.ts'
import type { PassageTerms } from './feedback.ts'
import { mergeVariants } from './in-languages.ts'
import type { IndexCache, IndexMoment, TermLists } from './index-cache.ts'
import type { Postings } from './postings.ts'
import { endless, type RequestedPassage, selectLive, selectTexts } from './search-queries.ts'
import { makeSnippet } from './snippet.ts'
import type { Passage } from './split-version.ts'
import type { AcceptedPassages, Candidates, FeedbackPassage, LivePassage, Scored, Snippet } from './types.ts'
import { toPostings, toSegmentColumns } from './unindexed.ts'

export type LexicalSearchDeps = { source: ReadSource; indexes: IndexCache }

/** The subject of a search: a Brain at one moment of its index, in a state, by the terms of a query. */
export type Opened = {
  brainId: number
  q: string
  moment: IndexMoment
  /** The number of times that each term is in the query. */
  terms: ReadonlyMap<string, number>
  state: number
  isCurrent: boolean
  validAt: string | undefined
  /** 1 for each passage that passes the filters, where there are any. */
  filter: Uint8Array | undefined
  /** Items that are live in the state and could not be indexed. */
  unsearchable: readonly Unsearchable[]
}

type Unsearchable = { type: ContentType; id: string }

/** The lists of a term over indexed and unindexed passages, without empty ones; together with its variants if it has any. */
export const findLists = (
  { unindexed, lastPassage, inLanguages }: IndexMoment,
  lists: TermLists,
  term: string,
): Postings[] => {
  const variants = inLanguages?.variants.get(term) ?? []
  const own = lists.get(term) ?? []
  const all = variants.length === 0 ? own : mergeVariants(own, variants, lists)
  const found = all.filter(({ passages }) => passages.length > 0)
  const newest = unindexed.length === 0 ? undefined : toPostings(unindexed, lastPassage + 1, term, variants)
  return newest ? [...found, newest] : found
}

/** The number of passages of a Brain, live or not, and of the terms in them. */
type Size = { passages: number; counted: number; terms: number }

/**
 * The statistics of all Brains that are searched together. Scores by them are comparable: a word is as rare in each Brain as in all
 * of them, and a passage as long.
 */
export type Statistics = Size & { holders: ReadonlyMap<string, number> }

/** Another query than that of the search: its terms with their weights, their lists in a Brain, and their holders in all Brains. */
export type OtherQuery = {
  weights: ReadonlyMap<string, number>
  lists: TermLists
  holders: ReadonlyMap<string, number>
}

const toAverage = ({ counted, terms }: Size): number => Math.max(1, terms / Math.max(1, counted))

/** The segments of a Brain that are searched, and its size. */
const toSegments = ({ columns, unindexed, lastPassage }: IndexMoment) => {
  const newest = unindexed.length === 0 ? [] : [toSegmentColumns(unindexed, lastPassage + 1)]
  const newestTerms = newest.reduce((sum, { terms }) => sum + terms.reduce((total, count) => total + count, 0), 0)
  const size: Size = {
    passages: lastPassage + unindexed.length,
    counted: columns.count + unindexed.length,
    terms: columns.totalTerms + newestTerms,
  }
  return { segments: [columns.segment, ...newest], size }
}

const toText = ({ heading, text }: { heading: string; text: string }): string => `${heading}\n${text}`

/** One search of a Brain by words. Passages are known by their numbers. */
export class LexicalSearch {
  /** The state that is searched. */
  readonly stateVersion: number
  /** The number of events that are not searchable yet. */
  readonly missing: number
  /** Items that are live and could not be indexed. */
  readonly unsearchable: readonly Unsearchable[]
  /** The number of passages that are not indexed yet: they have no lasting number, and no vector. */
  readonly unindexed: number
  /** The highest number of a passage. */
  readonly lastPassage: number
  /** The indexed passages that the search may answer. */
  readonly accepted: AcceptedPassages
  /** The terms of the query. */
  query: readonly QueryTerm[]
  /** The number of passages in all Brains that are searched. */
  passages: number
  /** The text of the query. */
  readonly q: string
  readonly brainId: number
  readonly source: ReadSource
  readonly #deps: LexicalSearchDeps
  #opened: Opened
  readonly #size: Size
  #collection: Collection

  constructor(deps: LexicalSearchDeps, opened: Opened) {
    const { moment, terms, state, filter } = opened
    const { fromStates, toStates } = moment.columns.segment
    this.stateVersion = state
    this.missing = moment.missing
    this.unsearchable = opened.unsearchable
    this.unindexed = moment.unindexed.length
    this.accepted = { lastPassage: moment.lastPassage, state, fromStates, toStates, filter }
    this.q = opened.q
    this.brainId = opened.brainId
    this.source = deps.source
    this.#deps = deps
    this.#opened = opened
    const { segments, size } = toSegments(moment)
    const { passages } = size
    this.#size = size
    this.#collection = { lastPassage: passages, passages, averageTerms: toAverage(size), state, filter, segments }
    this.lastPassage = passages
    this.passages = passages
    this.query = this.#toQuery(terms, moment.lists)
  }

  /** The index as it is searched. */
  get moment(): IndexMoment {
    return this.#opened.moment
  }

  /** The number of times that each term is in the query. */
  get terms(): ReadonlyMap<string, number> {
    return this.#opened.terms
  }

  /** The statistics of this Brain alone. */
  get statistics(): Statistics {
    const holders = new Map(this.query.map(({ term, lists }) => [term, countHolders(lists)]))
    return { ...this.#size, holders }
  }

  /** Searches for other terms in place of some, which count for this share. Their lists come with them. */
  replaceTerms(replaced: ReadonlyMap<string, string>, { lists, share }: { lists: TermLists; share: number }): void {
    const { moment, terms } = this.#opened
    const weights = new Map<string, number>()
    for (const [term, weight] of terms) {
      const other = replaced.get(term) ?? term
      weights.set(other, (weights.get(other) ?? 0) + (other === term ? weight : weight * share))
    }
    this.#opened = { ...this.#opened, moment: { ...moment, lists }, terms: weights }
    const shares = new Map(this.query.map((one) => [one.term, one.share]))
    for (const term of replaced.values()) if (!terms.has(term)) shares.set(term, share)
    this.query = this.#toQuery(weights, lists).map((one) => ({ ...one, share: shares.get(one.term) }))
  }

  /** Scores by the statistics of several Brains from now on. */
  useStatistics(shared: Statistics): void {
    this.passages = shared.passages
    this.#collection = { ...this.#collection, passages: shared.passages, averageTerms: toAverage(shared) }
    this.query = this.query.map((term) => ({ ...term, holders: shared.holders.get(term.term) }))
  }

  /** The best passages by the terms of the query, or of another one, the best first. */
  findBest(max: number, other?: OtherQuery): Scored[] {
    return findBest(this.#collection, other ? this.#toOther(other) : this.query, max)
  }

  /** The proposed passages and their neighbours, as far as the search may answer them, with their scores. */
  findCandidates(proposed: ReadonlySet<number>): Candidates {
    const { moment, state, filter } = this.#opened
    const { columns, lastPassage } = moment
    const passages = [...proposed]
    const indexes = new Map(passages.map((passage, index) => [passage, index]))
    const near = columns.findNeighbours(passages, { lastPassage, state })
    for (const passage of near)
      if (passage > 0 && !indexes.has(passage) && filter?.[passage] !== 0)
        indexes.set(passage, passages.push(passage) - 1)
    const farther = columns.findNeighbours(passages.slice(proposed.size), { lastPassage, state })
    const around = new Int32Array(near.length + farther.length)
    for (let at = 0; at < around.length; at++) {
      const passage = (at < near.length ? near[at] : farther[at - near.length]) ?? 0
      around[at] = passage === 0 ? -1 : (indexes.get(passage) ?? passages.length)
    }
    const versions = columns.findFirst(passages)
    if (moment.unindexed.length > 0)
      for (const [index, passage] of passages.entries()) {
        const unindexed = this.#findUnindexed(passage)
        if (unindexed) versions[index] = passage - unindexed.ordinal
      }
    const scores = scorePassages(this.#collection, this.query, passages)
    return { passages, proposed: proposed.size, around, versions, scores }
  }

  /** The terms of passages whose terms are added to the query. */
  async readFeedback(passages: readonly FeedbackPassage[]): Promise<PassageTerms[]> {
    const weights = new Map(passages.map(({ passage, weight }) => [passage, weight]))
    const texts = await this.#readTexts([...weights.keys()])
    const counts = countContentTerms(texts.map(toText), this.moment.inLanguages?.detect)
    return texts.map(({ passage }, index) => ({
      weight: weights.get(passage) ?? 0,
      counts: counts[index] ?? new Map(),
    }))
  }

  /** The lists of more terms and those of the query; undefined where segments were merged meanwhile. */
  async readLists(terms: readonly string[]): Promise<TermLists | undefined> {
    const { brainId, moment } = this.#opened
    const { source, indexes } = this.#deps
    const found = await indexes.readLists(source, brainId, moment, terms)
    return found && new Map([...moment.lists, ...found])
  }

  /** The number of passages that have each of these terms. */
  countHolders(terms: Iterable<string>, lists: TermLists): Map<string, number> {
    return new Map([...terms].map((term) => [term, countHolders(findLists(this.#opened.moment, lists, term))]))
  }

  /** Scores passages, in their order, by the query or by another one. */
  score(passages: readonly number[], other?: OtherQuery): Float32Array {
    return scorePassages(this.#collection, other ? this.#toOther(other) : this.query, passages)
  }

  /** The terms of the query that are in a part of it. */
  selectTerms(part: string): QueryTerm[] {
    const terms = countQueryTerms(part)
    return this.query.filter(({ term }) => terms.has(term))
  }

  /** The passages that are live, and hold at the requested time, in their order. */
  async readLive(passages: readonly number[]): Promise<LivePassage[]> {
    if (passages.length === 0) return []
    const { brainId, state, isCurrent, validAt = null } = this.#opened
    const requested = JSON.stringify(this.#toRequested(passages))
    // A version that is read as current must not have ended since.
    const until = isCurrent ? endless - 1 : state
    const rows = await this.#deps.source.prepared(selectLive({ brainId, requested, state, until, validAt }))
    const found = new Map<number, LivePassage>()
    for (const [type, ofType] of Map.groupBy(rows, (row) => row.type)) {
      const read = contentText[type]
      for (const { content, ...row } of ofType) {
        const { passage, text } = row
        const item = read.toFound(content, '')
        const { provenance } =
          item.type === 'record' ? item.record : item.type === 'statement' ? item.statement : item.document
        const about = { title: read.title(item, text), kind: read.kind(item), prefix: read.prefix(item), provenance }
        found.set(passage, { ...row, item, ...about })
      }
    }
    return passages.flatMap((passage) => found.get(passage) ?? [])
  }

  /** The excerpt of each passage with most terms of the query. */
  makeSnippets(found: readonly LivePassage[]): Snippet[] {
    const texts = found.map(({ text, prefix }) => prefix + text)
    const { there, variants } = this.moment.inLanguages ?? {}
    const tokens = findTerms(texts, new Set([...this.terms.keys(), ...(variants?.values() ?? [])].flat()), there)
    return found.map((passage, index) => makeSnippet(passage, tokens[index] ?? []))
  }

  #toOther({ weights, lists, holders }: OtherQuery): QueryTerm[] {
    return this.#toQuery(weights, lists).map((term) => ({ ...term, holders: holders.get(term.term) }))
  }

  #toQuery(terms: ReadonlyMap<string, number>, lists: TermLists): QueryTerm[] {
    return [...terms].map(([term, weight]) => ({ term, weight, lists: findLists(this.#opened.moment, lists, term) }))
  }

  #findUnindexed(passage: number): Passage | undefined {
    const { unindexed, lastPassage } = this.#opened.moment
    return passage > lastPassage ? unindexed[passage - lastPassage - 1]?.passage : undefined
  }

  #toRequested(passages: readonly number[]): RequestedPassage[] {
    if (this.unindexed === 0) return passages.map((passage) => ({ passage }))
    return passages.map((passage) => {
      const unindexed = this.#findUnindexed(passage)
      if (!unindexed) return { passage }
      const { type, id, version, starts, ends, page, text, fromState } = unindexed
      return { passage, type, id, version, starts, ends, page, text, fromState }
    })
  }

  /** The texts of passages as they were indexed, live or not: never part of an answer. */
  async #readTexts(passages: readonly number[]) {
    const { brainId, moment } = this.#opened
    const indexed = passages.filter((passage) => passage <= moment.lastPassage)
    const rows =
      indexed.length === 0 ? [] : await this.#deps.source.prepared(selectTexts({ brainId, passages: indexed }))
    const unindexed = passages.flatMap((passage) => {
      const found = this.#findUnindexed(passage)
      return found ? [{ passage, heading: found.heading, text: found.text }] : []
    })
    return [...rows, ...unindexed]
  }
}
