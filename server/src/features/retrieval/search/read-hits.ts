import type { Provenance } from '@noema/contracts/common.ts'
import { contentText } from '../../brain/content/content-text.ts'
import type { LivePassage, PassageSearch } from '../lexical-index/lexical-index.ts'
import type { Ranked } from './ranking.ts'

/** A version that was found, by its best passage. */
export type Hit = LivePassage & {
  title: string
  kind: string | undefined
  score: number
  /** Whether what stands next to it counted for more than it does itself. */
  isLifted: boolean
  provenance: Provenance
}

const hitOf = (live: LivePassage, { score, isLifted }: Ranked): Hit => {
  const { content } = live
  const thing =
    content.type === 'record' ? content.record : content.type === 'statement' ? content.statement : content.document
  return {
    ...live,
    title: contentText[content.type].title(content, live.text),
    kind: contentText[content.type].kind(content),
    score,
    isLifted,
    provenance: thing.provenance,
  }
}

/** What is read beyond what is wanted, for what ended a moment ago. */
const spare = 3

/** The best that are live, a few at a time: what the index proposes may have ended a moment ago. */
export const readHits = async (search: PassageSearch, ranked: readonly Ranked[], limit: number) => {
  const hits: Hit[] = []
  let taken = limit + spare
  for (let at = 0; hits.length < limit && at < ranked.length; taken *= 2) {
    const next = ranked.slice(at, at + taken)
    at += next.length
    const byPassage = new Map(next.map((one) => [one.passage, one]))
    for (const live of await search.read(next.map(({ passage }) => passage))) {
      const one = byPassage.get(live.passage)
      if (one && hits.length < limit) hits.push(hitOf(live, one))
    }
  }
  return hits
}
