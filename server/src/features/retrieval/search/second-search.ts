import { judge, judgeHits } from '../evidence/evidence.ts'
import type { TermLists } from '../lexical-index/index-cache.ts'
import type { OtherQuery } from '../lexical-index/lexical-search.ts'
import { findRecords, findHeld as findTermsIn } from '../lexical-index/lookups.ts'
import { type Scored, withoutNeighbours } from '../lexical-index/types.ts'
import { findNames, type Name } from './names.ts'
import type { SearchedBrain } from './open-brain.ts'
import { countAllHolders, findBest, type Live, splitByBrain, visitBrains } from './pool.ts'
import type { Ranked } from './ranking.ts'
import { type Hit, type Link, toKey } from './results.ts'

// A question may need two texts: the first names a thing, and the second, which shares few words with the question, says about that
// thing what was asked. If the best hits lack words of the question, a second search looks for the names in them, for the records
// that they link to, and for the words that they lack. It reads no text that the first search did not answer.

/** Names of a hit that are followed, and terms of all that are looked up. */
const maxNames = 16
const maxTerms = 64
/** Records that are followed by the links of one hit. */
const maxLinks = 20
/** Passages that a hit may lead to. */
const maxLinked = 20
/** The rarity of a name from which it is followed, and from which it counts in full, as parts of the logarithm of all passages. */
const rarity = { min: 0.7, full: 1.4 } as const
/** The share of the first hit's score that the words and the names of a passage it leads to may add, each. */
const linkShare = 0.5

/** The result of the first search. */
type First = {
  searched: readonly SearchedBrain[]
  bridges: readonly Hit[]
  hits: readonly Hit[]
  ranked: readonly Ranked[]
}

/** A hit, and the names and records that it leads to. */
type Bridge = { hit: Hit; names: readonly Name[]; records: readonly string[] }

/** The ids of the records that an item refers to. */
const listReferences = ({ item }: Hit): string[] => {
  if (item.type === 'record') return item.record.links.map(({ to }) => to)
  if (item.type === 'document') return []
  const { subject, object } = item.statement
  return [subject.id, ...('record' in object ? [object.record.id] : [])]
}

const toBridge = (hit: Hit, asked: ReadonlyMap<string, number>): Bridge => ({
  hit,
  names: findNames(`${hit.title} · ${hit.text}`, maxNames).filter(({ terms }) =>
    terms.some((term) => !asked.has(term)),
  ),
  records: [...new Set(listReferences(hit))].slice(0, maxLinks),
})

/** The lists of terms by Brain, the holders in all of them, and the rarity of terms. */
type Lookup = { lists: readonly TermLists[]; holders: ReadonlyMap<string, number>; measure: (term: string) => number }

/** Reads the lists of terms; undefined where segments were merged meanwhile. */
const lookUp = async (searched: readonly SearchedBrain[], terms: readonly string[]): Promise<Lookup | undefined> => {
  const read = await visitBrains(searched, ({ lexical }) => lexical.readLists(terms))
  const lists = read.flatMap((one) => one ?? [])
  const lexical = searched[0]?.lexical
  if (!lexical || lists.length < searched.length) return undefined
  const holders = countAllHolders(searched, [...lexical.terms.keys(), ...terms], lists)
  const measure = (term: string): number => {
    const held = holders.get(term) ?? 0
    return Math.log(1 + (Math.max(lexical.passages, held) - held + 0.5) / (held + 0.5))
  }
  return { lists, holders, measure }
}

/** A passage that a hit leads to: the lift of its score by the link, and the words of the question that it adds, as a share. */
type Linked = { passage: number; lift: number; gain: number; strength: number; link: Link }

const sum = (terms: Iterable<string>, measure: (term: string) => number): number => {
  let total = 0
  for (const term of terms) total += measure(term)
  return total
}

const toPool = ({ offset }: SearchedBrain, passage: number): number => passage + offset

/** The terms that each passage of the pool has. */
const findHeld = async (
  searched: readonly SearchedBrain[],
  passages: readonly number[],
  terms: readonly string[],
  lists: readonly TermLists[],
): Promise<Map<number, ReadonlySet<string>>> => {
  const split = splitByBrain(
    searched,
    passages.map((passage) => ({ passage })),
  )
  const held = new Map<number, ReadonlySet<string>>()
  await visitBrains(searched, (brain, index) => {
    const own = (split[index] ?? []).map(({ passage }) => passage)
    for (const [at, found] of findTermsIn(brain.lexical, own, terms, lists[index] ?? new Map()).entries())
      held.set(toPool(brain, own[at] ?? 0), found)
  })
  return held
}

/** The passages of the records that a hit refers to, with their scores by its query. */
const findReferred = async (
  searched: readonly SearchedBrain[],
  { hit, records }: Bridge,
  others: readonly OtherQuery[],
): Promise<Scored[]> => {
  const brain = searched[hit.owner]
  if (!brain) return []
  const passages = await findRecords(brain.lexical, records)
  const scores = brain.lexical.score(passages, others[hit.owner])
  return passages.map((passage, index) => ({ passage: toPool(brain, passage), score: scores[index] ?? 0 }))
}

type WeighedName = Name & { rarity: number }

/** The second query of a bridge: the names that are rare enough to follow, and the terms of the question that the bridge lacks. */
type SecondQuery = { asked: readonly string[]; names: readonly WeighedName[]; lacking: readonly string[] }

const toSecondQuery = (
  { hit, names }: Bridge,
  { lexical }: SearchedBrain,
  { lists, holders, measure }: Lookup,
): SecondQuery => {
  const asked = [...lexical.terms.keys()]
  const [own] = findTermsIn(lexical, [hit.passage], asked, lists[hit.owner] ?? new Map())
  const whole = Math.log(Math.max(2, lexical.passages))
  return {
    asked,
    lacking: asked.filter((term) => !own?.has(term)),
    names: names
      .filter(({ terms }) => terms.every((term) => holders.has(term)))
      .map((name) => ({ ...name, rarity: sum(name.terms, measure) / whole }))
      .filter((name) => name.rarity >= rarity.min),
  }
}

/** The passages that a bridge may lead to, by pool number, with their scores by its query; those of records that it refers to apart. */
const findPassages = async (
  searched: readonly SearchedBrain[],
  bridge: Bridge,
  { asked, names, lacking }: SecondQuery,
  { lists, holders }: Lookup,
) => {
  const novel = names.flatMap(({ terms }) => terms.filter((term) => !asked.includes(term)))
  const weights = new Map([...novel, ...lacking].map((term) => [term, 1]))
  const others = lists.map((one) => ({ weights, lists: one, holders }))
  const referred = await findReferred(searched, bridge, others)
  const named = novel.length === 0 ? [] : await findBest(searched, maxLinked, others)
  return { referred: new Set(referred.map(({ passage }) => passage)), found: [...referred, ...named] }
}

/** The passages that a bridge leads to. */
const followBridge = async (searched: readonly SearchedBrain[], bridge: Bridge, lookup: Lookup): Promise<Linked[]> => {
  const { hit } = bridge
  const { lists, measure } = lookup
  const owner = searched[hit.owner]
  if (!owner) return []
  const query = toSecondQuery(bridge, owner, lookup)
  const { asked, names, lacking } = query
  const { referred, found } = await findPassages(searched, bridge, query, lookup)
  const scores = new Map(found.map(({ passage, score }) => [passage, score]))
  scores.delete(toPool(owner, hit.passage))
  const top = Math.max(...scores.values(), Number.EPSILON)
  const terms = [...new Set([...asked, ...names.flatMap((name) => name.terms)])]
  const held = await findHeld(searched, [...scores.keys()], terms, lists)
  const all = Math.max(Number.EPSILON, sum(lacking, measure))
  return [...scores].flatMap(([passage, score]) => {
    const own = held.get(passage) ?? new Set<string>()
    const shared = names.filter((name) => name.terms.every((term) => own.has(term)))
    const rarest = Math.max(0, ...shared.map((name) => name.rarity))
    const strength = referred.has(passage) ? 1 : Math.min(1, rarest / rarity.full)
    if (strength === 0) return []
    const added = lacking.filter((term) => own.has(term))
    const gain = sum(added, measure) / all
    const lift = linkShare * Math.max(0, hit.score) * strength * (gain + score / top)
    return { passage, lift, gain, strength, link: { from: hit, names: shared.map(({ text }) => text) } }
  })
}

/** The evidence of a linked hit: words that the first hit has count for it, as far as the link is clear. It is never more than that of the first. */
const judgeLinked = (hit: Hit, { link, gain, strength }: Linked): Hit => {
  const { from } = link
  const together = from.coverage + (1 - from.coverage) * gain
  const lifted = hit.support + strength * Math.max(0, together - hit.coverage)
  const support = Math.max(hit.support, Math.min(from.support, lifted))
  return { ...hit, support, evidence: judge(support), link }
}

/** A linked passage comes after the hit that leads to it, unless it was before it already. */
const scoreLinked = (own: number, { lift, link }: Linked): number =>
  Math.max(own, Math.min(own + lift, link.from.score))

/** Reads passages that are no hits yet, and judges them. */
const readLinked = async (
  searched: readonly SearchedBrain[],
  passages: readonly (Linked & { score: number })[],
): Promise<Hit[]> => {
  const split = splitByBrain(searched, passages)
  const read = await Promise.all(
    searched.map(async ({ lexical, semantic }, owner) => {
      const own = split[owner] ?? []
      if (own.length === 0) return []
      const rows = await lexical.readLive(own.map(({ passage }) => passage))
      const byPassage = new Map(own.map((one) => [one.passage, one]))
      const live = rows.flatMap((row): Live[] => {
        const linked = byPassage.get(row.passage)
        return linked ? [{ ...row, owner, score: linked.score, isLifted: false }] : []
      })
      const judged = await judgeHits({ lexical, semantic, candidates: withoutNeighbours, question: undefined }, live)
      return judged.flatMap((hit) => {
        const linked = byPassage.get(hit.passage)
        return linked ? [judgeLinked(hit, linked)] : []
      })
    }),
  )
  return read.flat()
}

/** Each version by its best passages. */
const limitPassages = (hits: readonly Hit[], passagesEach: number): Hit[] => {
  const taken = new Map<string, number>()
  return hits.filter((hit) => {
    const count = (taken.get(toKey(hit)) ?? 0) + 1
    taken.set(toKey(hit), count)
    return count <= passagesEach
  })
}

/** The strongest link to each passage. */
const findLinked = async ({ searched, bridges }: First): Promise<Map<number, Linked>> => {
  const asked = searched[0]?.lexical.terms ?? new Map<string, number>()
  const named = bridges.map((hit) => toBridge(hit, asked))
  const terms = [...new Set(named.flatMap(({ names }) => names.flatMap((name) => name.terms)))].slice(0, maxTerms)
  const linked = new Map<number, Linked>()
  if (terms.length === 0 && named.every(({ records }) => records.length === 0)) return linked
  const lookup = await lookUp(searched, terms)
  if (!lookup) return linked
  for (const bridge of named)
    for (const one of await followBridge(searched, bridge, lookup))
      if (one.lift > (linked.get(one.passage)?.lift ?? 0)) linked.set(one.passage, one)
  return linked
}

/** The hits of a search together with what the best of them lead to, the best first. */
export const searchAgain = async (
  first: First,
  { limit, passagesEach = 1 }: { limit: number; passagesEach?: number },
): Promise<Hit[]> => {
  const { searched, hits, ranked, bridges } = first
  const linked = await findLinked(first)
  if (linked.size === 0) return [...hits]
  const isBridge = new Set(bridges.map(toKey))
  const known = hits.map((hit) => {
    const brain = searched[hit.owner]
    const one = brain && linked.get(toPool(brain, hit.passage))
    if (!brain || !one) return hit
    linked.delete(one.passage)
    const score = scoreLinked(hit.score, one)
    return score > hit.score && toKey(hit) !== toKey(one.link.from) ? judgeLinked({ ...hit, score }, one) : hit
  })
  const scores = new Map(ranked.map(({ passage, score }) => [passage, score]))
  const last = hits.length < limit ? Number.NEGATIVE_INFINITY : (hits.at(-1)?.score ?? 0)
  // A passage that the first search did not propose counts as an average one, whose score is 0.
  const others = [...linked.values()]
    .map((one) => ({ ...one, score: scoreLinked(scores.get(one.passage) ?? 0, one) }))
    .filter(({ score }) => score > last)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
  const read = (await readLinked(searched, others)).filter((hit) => !isBridge.has(toKey(hit)))
  const all = [...known, ...read].sort(
    (a, b) => b.score - a.score || Number(a.link !== undefined) - Number(b.link !== undefined),
  )
  return limitPassages(all, passagesEach).slice(0, limit)
}
