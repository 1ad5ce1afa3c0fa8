import { existsSync } from 'node:fs'
import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { generatedFiles } from '../docs/generate.ts'
import { projectFiles, readProjectFile } from './source-files.ts'

// The docs are true: links lead to files, generated files are fresh, and every promise has its test.

const root = new URL('../', import.meta.url)
const isBinary = (path: string) => /\.(png|jpe?g|gif|ico|woff2?|wasm)$/.test(path)
const files = projectFiles().filter((path) => existsSync(new URL(path, root)))
const texts = files.filter((path) => !isBinary(path)).map((path) => ({ path, text: readProjectFile(path) }))
const withoutCode = (markdown: string) => markdown.replaceAll(/^(`{3,}).*?^\1/gms, '').replaceAll(/`[^`\n]*`/g, '')

/** The ids of requirements in a text: an area and a number, or D and a number for questions that were decided later. */
const idsIn = (text: string): string[] =>
  text.match(/\b(?:(?:SUR|AUT|KEY|BRN|KNO|REV|QRY|EVT|DAT|WHK|OWH|RUN|ADM|IDM)-\d{2}|D-\d{2}[a-z]?)(?![\w-])/g) ?? []

const tests = texts.filter(({ path }) => path.endsWith('.test.ts'))
const code = texts.filter(({ path }) => /\.(ts|tsx|sql)$/.test(path))
const promised = idsIn(
  [...readProjectFile('docs/requirements.md').matchAll(/^\| ([\w-]+) +\|/gm)].map((match) => match[1]).join(' '),
)
const withoutComments = (text: string) => text.replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '')
const provenBy = tests.flatMap(({ text }) => idsIn(withoutComments(text)))
const isSettled = (id: string) => id.startsWith('D-')
const missingFrom = (all: readonly string[], expected: readonly string[]) =>
  [...new Set(expected.filter((id) => !all.includes(id)))].sort()

test('every link of a Markdown file leads to a file of the project', () => {
  const dead = texts
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap(({ path, text }) =>
      [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
        .map((match) => match[1]?.split('#')[0] ?? '')
        .filter((target) => target !== '' && !/^[a-z]+:/.test(target))
        .filter((target) => !existsSync(new URL(posix.join(posix.dirname(path), target), root)))
        .map((target) => `${path} -> ${target}`),
    )
  expect(dead).toEqual([])
})

test('generated files are as `npx node docs/generate.ts` would make them', () => {
  const stale = Object.entries(generatedFiles()).filter(([path, text]) => readProjectFile(path) !== text)
  expect(stale.map(([path]) => path)).toEqual([])
})

test('every requirement that a test proves is in docs/requirements.md', () => {
  expect(missingFrom(promised, provenBy)).toEqual([])
})

test('a test proves every requirement of docs/requirements.md, or the code names it as decided', () => {
  const named = code.flatMap(({ path, text }) => (path.startsWith('checks/') ? [] : idsIn(text))).filter(isSettled)
  expect(missingFrom([...provenBy, ...named], promised)).toEqual([])
})

test('no requirement is in docs/requirements.md twice', () => {
  expect(promised.filter((id, index) => promised.indexOf(id) !== index)).toEqual([])
})

test('no file names a folder of one machine', () => {
  // Put together here, so that this file does not find itself.
  const folders = ['root', 'work', 'farm'].map((name) => ['', name, ''].join('/'))
  const wrong = texts.filter(({ text }) => folders.some((folder) => new RegExp(`(?<![\\w.~@-])${folder}`).test(text)))
  expect(wrong.map(({ path }) => path)).toEqual([])
})

test('nothing is left to be done later in a comment', () => {
  const words = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME'].join('|')})\\b`)
  expect(texts.filter(({ text }) => words.test(text)).map(({ path }) => path)).toEqual([])
})

test('package-lock.json names no address to load packages from', () => {
  expect(readProjectFile('package-lock.json').match(/"resolved": "https?:[^"]*"/g) ?? []).toEqual([])
})

test('package-lock.json is complete for every platform, so that npm ci works everywhere', () => {
  const { packages } = JSON.parse(readProjectFile('package-lock.json')) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>
  }
  const names = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)))
  const missing = Object.values(packages)
    .flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies ?? {}))
    .filter((name) => !names.has(name))
  expect([...new Set(missing)]).toEqual([])
})

test('versions of packages are exact', () => {
  const loose = texts
    .filter(({ path }) => /(^|\/)package\.json$/.test(path))
    .flatMap(({ path, text }) => {
      const { dependencies, devDependencies, optionalDependencies } = JSON.parse(text)
      return Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
        .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(String(version)))
        .map(([name, version]) => `${path}: ${name} ${version}`)
    })
  expect(loose).toEqual([])
})
