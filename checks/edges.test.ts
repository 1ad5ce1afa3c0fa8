import { expect, test } from 'vitest'
import { sourceFiles } from './source-files.ts'

// HTTP, tools and programs call operations, so their answers and errors must fit all of them.

const files = sourceFiles()

const withoutComments = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')

test('code below the edges names nothing of a request: no part of a body, no header, no method, no status', () => {
  const wordsOfHttp = [
    /['"`](body|query|path|headers)\.[\w$]/,
    /If-Match|Idempotency-Key/i,
    /\b(PUT|PATCH|POST|GET|DELETE) \S/,
    /\/v1\//,
    /\bstatus: [1-5]\d\d\b/,
  ]
  const found = files
    .filter(({ path }) => /^server\/src\/(api|features)\//.test(path))
    .flatMap(({ path, text }) =>
      wordsOfHttp.flatMap((words) => {
        const said = words.exec(withoutComments(text))?.[0]
        return said === undefined ? [] : [`${path}: ${said}`]
      }),
    )
  expect(found).toEqual([])
})

test('the web framework is known to the HTTP edge, and to what builds it', () => {
  const knows = files.filter(({ path, packages }) => path.startsWith('server/') && packages.includes('fastify'))
  const elsewhere = knows.filter(({ path }) => !/^server\/src\/(http\/|app\.ts$|lifecycle\.ts$)/.test(path))
  expect(elsewhere.map(({ path }) => path)).toEqual([])
})
