import { createPeople, namePattern, readLines } from './names.ts'

// Explicit statements about people in a text: six forms of English sentences, about a person by name or by a speaker of
// themselves. Questions, denials, suppositions and the past are left out. Texts in other languages have none.

/** A statement, and the sentence that says it, word for word. */
export type ProposedStatement = { person: string; predicate: string; value: string; quote: string }

/** The words that may precede a statement in its sentence. */
const opening = '(?:(?:Yes|Sure|Okay|Ok|Well|So|And|Also|Hi|Hello|Thanks|Great|By the way)[,.!]? +){0,2}'
const subject = `(?<name>I|${namePattern})`
const phrase = '[^.,;:!?()\\n]{1,80}?'
const end = '(?=[.,;!)]|$| (?:and|but|because|so|since|as|for|where|who|which|now|these days|at the moment)\\b)'
const roles =
  '(?:[\\p{L}-]+ ){0,3}(?:CEO|CTO|CFO|COO|engineer|manager|designer|director|lead|head|developer|analyst|consultant|founder|co-founder|owner|accountant|lawyer|assistant|president|chair|architect|scientist|researcher|teacher|nurse|doctor|editor)'
const by =
  'by (?:(?:the )?end of (?:the |this |next )?\\p{L}+|(?:this |next )?(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|week|month|quarter)|tomorrow|tonight|noon|\\d{4}-\\d{2}-\\d{2}|\\d{1,2}(?:st|nd|rd|th)? \\p{Lu}\\p{Ll}+(?: \\d{4})?|\\p{Lu}\\p{Ll}+ \\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?)(?![\\p{L}\\p{N}])'

const forms: readonly { predicate: string; pattern: RegExp }[] = [
  { predicate: 'works at', pattern: `(?:works?|am working|is working) (?:at|for) (?<value>\\p{Lu}${phrase})${end}` },
  {
    predicate: 'works as',
    pattern: `(?:works? as|am|is) (?:an? |the |our )(?<value>${roles}(?: (?:of|at|for) ${phrase})?)${end}`,
  },
  {
    predicate: 'lives in',
    pattern: `(?:lives? in|am based in|is based in|(?:have |has )?(?:just )?moved to) (?<value>\\p{Lu}${phrase})${end}`,
  },
  { predicate: 'prefers', pattern: `prefers? (?<value>${phrase})${end}` },
  {
    predicate: 'will',
    pattern: `(?:will|am going to|is going to) (?<value>(?!not |never |be |have )[^.;!?\\n]{3,120}? ${by})`,
  },
].map(({ predicate, pattern }) => ({
  predicate,
  pattern: new RegExp(`^${opening}${subject} (?:also |now |currently |really |still )?${pattern}`, 'u'),
}))

const address = '(?<value>[\\w.+-]{1,64}@[\\w-]{1,63}(?:\\.[\\w-]{1,63}){1,4})'
const emails: readonly RegExp[] = [
  new RegExp(`(?:^|[\\s,])(?<name>${namePattern}) <${address}>`, 'u'),
  new RegExp(`(?<name>${namePattern})['’]s e-?mail(?: address)? is ${address}`, 'u'),
  new RegExp(`(?<name>[Mm]y) e-?mail(?: address)? is ${address}`, 'u'),
]

/** Signs that a sentence does not say what its words would. */
const unsure =
  /\?["'”’)]*$|n['’]t\b|\b(?:not|never|no longer|if|unless|maybe|perhaps|might|may|could|would|should|probably|used to|wish|hope|pretend|imagine|supposedly|allegedly)\b/i

type Match = { name: string; predicate: string; value: string }

/** Expands contracted forms. Only the captured part of a form is used, never these. */
const expand = (text: string): string =>
  text.replaceAll(/\bI['’]m\b/g, 'I am').replaceAll(/\b(\w+)['’]ll\b/g, '$1 will')

const match = (text: string, predicate: string, pattern: RegExp): Match[] => {
  const { name = '', value = '' } = pattern.exec(text)?.groups ?? {}
  return name === '' || value === ''
    ? []
    : [{ name: name === 'My' || name === 'my' ? 'I' : name, predicate, value: value.trim() }]
}

const matchForms = (text: string): Match[] => {
  if (unsure.test(text)) return []
  const plain = expand(text)
  return [
    ...forms.flatMap(({ predicate, pattern }) => match(plain, predicate, pattern)),
    ...emails.flatMap((pattern) => match(plain, 'email', pattern)),
  ]
}

const maxStatements = 50
/** A longer sentence says more than a form shows. */
const maxLength = 400

/** The statements about people that a text makes plainly, in its order, each once. */
export const readStatements = (text: string): ProposedStatement[] => {
  const lines = readLines(text)
  const findPerson = createPeople(lines)
  const found = new Map<string, ProposedStatement>()
  for (const line of lines) {
    if (line.text.length > maxLength) continue
    for (const { name, predicate, value } of matchForms(line.text)) {
      const person = name === 'I' ? line.speaker && findPerson(line.speaker) : findPerson(name)
      if (person === undefined) continue
      const key = JSON.stringify([person, predicate, value])
      if (!found.has(key)) found.set(key, { person, predicate, value, quote: line.text })
      if (found.size === maxStatements) return [...found.values()]
    }
  }
  return [...found.values()]
}
