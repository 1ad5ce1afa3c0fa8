import { splitSentences } from '../sentences.ts'

// The speakers of a text, and the people that it names. A name needs a plain form to count as a person's: a speaker of a
// transcript, or two to four capitalized words that are no company's.

const word = "\\p{Lu}[\\p{Ll}\\p{Lu}'’-]*\\p{Ll}"

/** One to four words, each with a capital. */
export const namePattern = `${word}(?: (?:\\p{Lu}\\. )?${word}){0,3}`

const label = new RegExp(
  `^(?:[[(]?\\d{1,2}:\\d{2}(?::\\d{2})?[\\])]?\\s+)?[*_]{0,2}(${namePattern})[*_]{0,2}:[*_]{0,2}\\s+(?=\\S)`,
  'u',
)

/** Words that begin sentences and lines as names do, and words that companies and groups are called by. */
const noNames = new Set(
  `I You He She It We They This That These Those There Here Who What When Where Why How The My Our Your His Her Its Their
  Everybody Everyone Nobody Someone Somebody Anyone All Both Each Most Many Some Yes No Not And But Or So Then Now Today
  Tomorrow Note Notes Agenda Date Time Subject From To Cc Re Fwd Todo Action Actions Decision Decisions Summary Attendees
  Participants Present Location Title Topic Status Question Answer Warning Example Speaker Unknown`.split(/\s+/),
)
const groups = new Set(
  `Team Group Inc Corp Corporation Ltd Limited Llc Gmbh Ag Company Committee Board Office Department Bank University School
  Project Items Points Steps Status Notes Meeting Street City Hospital Institute Foundation Agency Council Ministry Service`.split(
    /\s+/,
  ),
)

const isName = (name: string): boolean => {
  const words = name.split(' ')
  return !words.some((one) => noNames.has(one)) && !groups.has(words.at(-1) ?? '')
}

/** The words of a speaker, or of a text without speakers. */
export type Line = { speaker: string | undefined; text: string }

/** A label is a speaker if it appears this often (unlike "Agenda: …"), or if it is a full name. */
const minTurns = 2

const readLabel = (line: string): { name: string; text: string } | undefined => {
  const match = label.exec(line.slice(0, 120))
  return match?.[1] !== undefined && isName(match[1])
    ? { name: match[1], text: line.slice(match[0].length) }
    : undefined
}

/** The sentences of a text, each with who says it. A speaker speaks to the end of the line. */
export const readLines = (text: string): Line[] => {
  const labelled = text.split(/[\n\r]+/).map((line) => ({ line: line.trim(), label: readLabel(line.trim()) }))
  const turns = new Map<string, number>()
  for (const { label } of labelled) if (label) turns.set(label.name, (turns.get(label.name) ?? 0) + 1)
  return labelled.flatMap(({ line, label }) => {
    const speaks = label && (label.name.includes(' ') || (turns.get(label.name) ?? 0) >= minTurns)
    return [...splitSentences(speaks ? label.text : line)]
      .filter((sentence) => sentence !== '')
      .map((sentence) => ({ speaker: speaks ? label.name : undefined, text: sentence }))
  })
}

const fullName = new RegExp(`(?<![\\p{L}\\p{N}])${word}(?: (?:\\p{Lu}\\. )?${word}){1,3}(?![\\p{L}\\p{N}])`, 'gu')

/**
 * Resolves names to people: speakers by their names in the text, others by their full names. A first name means the one full name
 * in the text that begins with it. Undefined if it is not plainly someone's.
 */
export const createPeople = (lines: readonly Line[]): ((name: string) => string | undefined) => {
  const speakers = new Set(lines.flatMap(({ speaker }) => speaker ?? []))
  const full = new Set([...speakers].filter((name) => name.includes(' ')))
  for (const { text } of lines) for (const [name] of text.matchAll(fullName)) if (isName(name)) full.add(name)
  const byFirst = Map.groupBy(full, (name) => name.split(' ')[0] ?? '')
  return (name) => {
    if (!isName(name)) return undefined
    if (name.includes(' ')) return name
    const candidates = byFirst.get(name) ?? []
    const [only] = candidates
    return candidates.length === 1 && only !== undefined ? only : speakers.has(name) ? name : undefined
  }
}
