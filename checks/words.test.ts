import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { projectFiles, readProjectFile } from './source-files.ts'

// Names and texts use the words of the field, so that a newcomer knows them already. docs/glossary.md defines them.

const root = new URL('../', import.meta.url)
const texts = projectFiles()
  .filter((path) => /\.(ts|tsx|md)$/.test(path) && existsSync(new URL(path, root)))
  // This file contains the words themselves, and the changelog describes former versions.
  .filter((path) => path !== 'checks/words.test.ts' && path !== 'CHANGELOG.md')
  .map((path) => ({ path, text: readProjectFile(path) }))
const code = texts.filter(({ path }) => !path.endsWith('.md'))
const documents = texts.filter(({ path }) => path.endsWith('.md'))

/** Words that only this project used once, and what to say instead. */
const replaced: Readonly<Record<string, string>> = {
  crossing: 'reminder',
  draft: 'write set',
  exemplar: 'feedback passage',
  lane: 'worker thread',
  lend: 'add to the query (feedback)',
  lends: 'adds to the query (feedback)',
  lent: 'added to the query (feedback)',
  lookout: 'pending Brains',
  resting: 'open circuit breaker',
  shelf: 'segment columns',
  stretch: 'passage',
  unseal: 'decode or decrypt',
}
/** Words of former names, and the term to use. */
const formerNames: Readonly<Record<string, string>> = {
  anew: 'again',
  book: 'store',
  nobody: 'no one',
  tell: 'report, notify or send',
  telling: 'reporting',
  tells: 'reports',
  told: 'reported',
  wanted: 'requested or expected',
  whoever: 'the name of the role',
}
/** The name of a column, and of a system user. */
const namesOutside = ['wanted_by', 'nobody']
const singular = (word: string) => (word in replaced ? word : word.replace(/e?s$/, ''))
const findReplaced = (words: readonly string[]) => [
  ...new Set(words.map((word) => singular(word.toLowerCase())).filter((word) => Object.hasOwn(replaced, word))),
]

/** Fields of the API, which keep their names. */
const apiNames = ['mostRetired']
/** Names ending in "Of" that the language or the API has. */
const fieldsOwn = ['asOf', 'indexOf', 'lastIndexOf', 'typeOf', 'valueOf', 'anyOf', 'allOf', 'oneOf', 'listOf']

/** Names of libraries' options: OpenMetrics has its own meaning of a retired word. */
const optionsOfLibraries = ['enableExemplars', 'exemplarLabels']

const withoutComments = (text: string) => text.replaceAll(/^\s*(\/\/|\/?\*).*$|\s\/\/ .*$/gm, '')
const identifiersIn = (text: string) => [...new Set(withoutComments(text).match(/[A-Za-z_$][\w$]*/g) ?? [])]
const wordsIn = (name: string) => name.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').split(/[\s_]+/)
const withoutCode = (markdown: string) =>
  markdown.replaceAll(/^(`{3,}).*?^\1/gms, '').replaceAll(/`[^`\n]*`|\]\([^)]*\)/g, '')

/** Comments as paragraphs, without code, and the titles of tests as sentences. */
const readComments = (text: string): string[] => {
  const lines = [...text.matchAll(/^\s*(?:\/\/|\/\*\*?|\*)\s(.*)$/gm)].map(([, line = '']) =>
    line.replaceAll(/`[^`]*`|\*\/$/g, ''),
  )
  const titles = text.matchAll(/^ *(?:test|describe)(?:\.\w+\([^)]*\))?\(\s*['"`](?:[A-Z]+-\d+\w? )*(.*)['"`],/gm)
  return [
    ...lines.join('\n').split(/\n(?=[A-Z])/),
    ...[...titles].map(([, title = '']) => title.replace(/^./, (letter) => letter.toUpperCase())),
  ]
}

/** A sentence that starts with a noun clause, such as "What is due is leased.", but no question. */
const nounClause = /(?:^|[.!] |\*\*)(?:What|Who|Whoever|Whatever|Whichever|Whether|How|Where) [^.?!]*(?=[.!;]|$)/gm
/** Words that have a plainer one: anyone who, no one, anyone, again, next to, notified, must. */
const dialect = /\b(?:whoever|nobody|anybody|anew|beside|told|shall)\b/gi

const list = (found: readonly { path: string; names: readonly string[] }[]) =>
  found.filter(({ names }) => names.length > 0).map(({ path, names }) => `${path}: ${names.join(', ')}`)

test('limits are named max and min, not most, least, longest or fewest', () => {
  const pattern = /\b(most|least|longest|shortest|fewest|largest|smallest)[A-Z]\w*/g
  const found = code.map(({ path, text }) => ({
    path,
    names: [...new Set(withoutComments(text).match(pattern))].filter((name) => !apiNames.includes(name)),
  }))
  expect(list(found)).toEqual([])
})

test('functions are named by a verb, or toX and findX, not xOf', () => {
  const pattern = /\b(?:const|let|function\*?) (\w+Of)\b(?=\s*=\s*(?:async )?[(<]|\s*[(<])/g
  const found = code.map(({ path, text }) => ({
    path,
    names: [...text.matchAll(pattern)].flatMap(([, name = '']) => (fieldsOwn.includes(name) ? [] : name)),
  }))
  expect(list(found)).toEqual([])
})

test('names use the words of the field', () => {
  const found = code.map(({ path, text }) => ({
    path,
    // A string may hold the name of a table, which keeps it.
    names: identifiersIn(text.replaceAll(/\b[a-z]+(_[a-z]+)+\b/g, '')).filter(
      (name) =>
        /[a-z][A-Z]|^[A-Z]/.test(name) && !optionsOfLibraries.includes(name) && findReplaced(wordsIn(name)).length > 0,
    ),
  }))
  expect(list(found)).toEqual([])
})

// Texts in the language of documents and of models have these words, and nothing to rename.
test('names say what the field says: report, request, store', () => {
  const found = code
    .filter(({ path }) => !/\/(?:extractive|packs\/files)\/|console\/test\/knowledge/.test(path))
    .map(({ path, text }) => ({
      path,
      names: identifiersIn(text.replaceAll(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|\/(?:\\.|[^/\\\n])+\//g, "''"))
        .filter((name) => !namesOutside.includes(name))
        .filter((name) => wordsIn(name).some((word) => Object.hasOwn(formerNames, word.toLowerCase()))),
    }))
  expect(list(found)).toEqual([])
})

test('documents use the words of the field', () => {
  const found = documents.map(({ path, text }) => ({
    path,
    names: findReplaced(withoutCode(text).match(/[\w-]+/g) ?? [])
      .filter((word) => !(word === 'draft' && path === 'SECURITY.md'))
      .map((word) => `${word} (say: ${replaced[word]})`),
  }))
  expect(list(found)).toEqual([])
})

test('comments, titles and documents use plain English: subject first, no noun clause in its place', () => {
  const found = texts.map(({ path, text }) => {
    const sentences = path.endsWith('.md') ? [withoutCode(text)] : readComments(text)
    const names = sentences.flatMap((one) => [...(one.match(nounClause) ?? []), ...(one.match(dialect) ?? [])])
    return { path, names: names.map((name) => name.replaceAll('\n', ' ').slice(0, 60)) }
  })
  expect(list(found)).toEqual([])
})
