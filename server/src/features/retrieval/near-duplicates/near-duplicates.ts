import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import type { FindNear, WrittenText } from '../../writing/review/findings.ts'
import type { SearchDeps } from '../search/open-brain.ts'
import { findRelevant } from '../search/search.ts'

// An item says nearly the same as another one if their texts are nearly as close in meaning as equal texts, and have the same numbers:
// records that a form fills differ by little else. Only the beginnings of long texts are compared, as each is found by its best passage.

/** Texts of one change that are compared. Each costs a search. */
const maxCompared = 10
/** Characters of a text that are compared: the length of a passage. */
const maxCharacters = 1_000
/** A shorter text says too little. */
const minCharacters = 40
/** Other items that are looked at: the nearest may be those of the change itself. */
const maxFound = 5

/** The part of the way from the closeness of a question and its answer to that of equal texts. */
const nearness = 0.85

const listNumbers = (text: string): string => (text.match(/\p{N}+/gu) ?? []).join(' ')

/** The nearest other item, if it says nearly the same; undefined where the Brain has no vectors to compare, or the model does not answer. */
const findOne = async (
  deps: SearchDeps,
  brain: BrainRow,
  { type, text }: WrittenText,
  isOther: (id: string) => boolean,
) => {
  const beginning = text.slice(0, maxCharacters)
  const request = { q: beginning, mode: 'semantic', limit: maxFound, types: [type] } as const
  const { hits, searched } = await findRelevant(deps, brain, request)
  const { calibration } = searched[0]?.semantic ?? {}
  if (!calibration) return undefined
  const minSimilarity = calibration.related + nearness * (1 - calibration.related)
  const numbers = listNumbers(beginning)
  const found = hits.find(
    (hit) =>
      isOther(hit.id) && hit.similarity >= minSimilarity && listNumbers(hit.text.slice(0, maxCharacters)) === numbers,
  )
  return found ? { type, id: found.id } : null
}

/** Finds what says nearly the same by the vectors of the Brain, as far as they are there. Without embeddings nothing is compared. */
export const findNear = async (
  deps: SearchDeps,
  brain: BrainRow,
  texts: readonly WrittenText[],
): ReturnType<FindNear> => {
  const own = new Set(texts.map(({ type, id }) => `${type} ${id}`))
  const found: Awaited<ReturnType<FindNear>> = []
  let compared = 0
  for (const written of texts) {
    if (!deps.vectors || written.text.length < minCharacters) found.push(null)
    else if (compared++ >= maxCompared) found.push(undefined)
    else found.push(await findOne(deps, brain, written, (id) => !own.has(`${written.type} ${id}`)))
  }
  return found
}
