import { createHash } from 'node:crypto'
import { type Answered, addBrain, type TestApp, type TestBrain } from './app.ts'

/** The whole export of a Brain as text. */
export const exportText = async (
  test: TestApp,
  { path, key }: TestBrain,
  { history = true }: { history?: boolean } = {},
): Promise<string> => {
  const response = await fetch(`${test.base}${path}/export?history=${history}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  return response.text()
}

/** Imports a file into a Brain. */
export const importText = (test: TestApp, { path, key }: TestBrain, text: string): Promise<Answered> =>
  test.request('POST', `${path}/import`, { key, headers: { 'content-type': 'application/x-ndjson' }, body: text })

/** A Brain that a file was imported into. */
export const importedBrain = async (test: TestApp, member: TestBrain, handle: string, text: string) => {
  const brain = await addBrain(test, member, handle)
  return { brain, answer: await importText(test, brain, text) }
}

/** A file with other lines, and the trailer that they need to be taken for whole. */
export const withLines = (text: string, change: (lines: string[]) => string[]): string => {
  const lines = text.trimEnd().split('\n')
  const trailer = JSON.parse(lines.pop() ?? '').trailer
  const changed = change(lines)
  const count = (sort: string) => changed.filter((line) => line.startsWith(`{"${sort}":`)).length
  const body = changed.map((line) => `${line}\n`).join('')
  const sorts = ['schema', 'change', 'record', 'statement', 'document', 'date']
  const counted = Object.fromEntries(sorts.map((sort) => [`${sort}s`, count(sort)]))
  const sha256 = createHash('sha256').update(body).digest('hex')
  return `${body}${JSON.stringify({ trailer: { ...trailer, ...counted, sha256 } })}\n`
}
