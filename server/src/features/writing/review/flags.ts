import { setImmediate } from 'node:timers/promises'
import type { ChangeFlag } from '@noema/contracts/changes.ts'
import type { Queryable } from '../../../storage/database.ts'
import { selectServedHashes } from '../../knowledge/documents/document-queries.ts'
import { sha256InSteps } from '../../knowledge/documents/hash.ts'

// Zero-width and joining characters, bidirectional controls, soft hyphens, tags and the like: what hides words from a
// reviewer that an agent then reads. Emoji are made with a joiner and variation selectors; behind a pictograph, or a sign of
// a keypad, these hide nothing.
const hidden = new RegExp(
  [
    '[\\p{Default_Ignorable_Code_Point}--[\\ufe0e\\ufe0f\\u200d]]',
    '\\ufe0e(?<!\\p{Extended_Pictographic}\\ufe0e)',
    '\\ufe0f(?<![\\p{Extended_Pictographic}#*0-9]\\ufe0f)',
    '\\u200d(?<!\\p{Extended_Pictographic}[\\ufe0e\\ufe0f]?\\u200d)',
  ].join('|'),
  'gv',
)

/** Characters that are looked at before others have their turn on the thread. */
const charactersAtOnce = 100_000
/** Characters before a place that tell whether one there hides something. */
const before = 4

function* readTexts(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (value !== null && typeof value === 'object')
    for (const [name, item] of Object.entries(value)) {
      yield name
      yield* readTexts(item)
    }
}

/** True if any text of this content has hidden characters. */
const hidesCharacters = async (content: object): Promise<boolean> => {
  let left = charactersAtOnce
  for (const text of readTexts(content))
    for (let from = 0; from < text.length; from += charactersAtOnce) {
      const begin = Math.max(0, from - before)
      const part = text.slice(begin, from + charactersAtOnce)
      hidden.lastIndex = from - begin
      if (hidden.test(part)) return true
      left -= part.length
      if (left > 0) continue
      await setImmediate()
      left = charactersAtOnce
    }
  return false
}

const isFromUnverified = (content: object): boolean =>
  'provenance' in content &&
  typeof content.provenance === 'object' &&
  content.provenance !== null &&
  'trust' in content.provenance &&
  content.provenance.trust === 'unverified'

/** The warnings about the content of an item. `isServed`: the document's text is served already, under another id. */
export const findFlags = async (content: object, isServed: boolean): Promise<ChangeFlag[]> => {
  const isUnverified = isFromUnverified(content)
  // A failure here stops no decision: a flag warns that the texts were not examined.
  const hides = await hidesCharacters(content).catch(() => undefined)
  return [
    ...(isServed ? (['duplicate_text'] as const) : []),
    ...(hides ? (['hidden_characters'] as const) : []),
    ...(isUnverified ? (['unverified_source'] as const) : []),
    ...(hides === undefined ? (['unchecked'] as const) : []),
  ]
}

/** Which of these documents have a text that another document of their Brain serves already. */
export const findServed = async (
  db: Queryable,
  documents: readonly { brainId: number; id: string; text: string }[],
): Promise<boolean[]> => {
  const texts: { brainId: number; hash: string; id: string }[] = []
  for (const { text, ...place } of documents) texts.push({ ...place, hash: await sha256InSteps(text) })
  const served = await selectServedHashes(db, texts)
  const byText = Map.groupBy(served, ({ brainId, hash }) => `${brainId} ${hash}`)
  return texts.map((text) => (byText.get(`${text.brainId} ${text.hash}`) ?? []).some(({ id }) => id !== text.id))
}
