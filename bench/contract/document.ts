import { openApiDocument } from '../../server/src/http/reference/openapi.ts'
import { isJsonObject } from '../../server/src/shared/text/json.ts'

// The document as Specmatic can read it. It knows no cookies as credentials and generates texts for plain patterns alone; and
// what ends the Brain, the organization or the account that everything else is tried on is not for a machine to try. Nor is the
// document itself, of which it says no more than that it is an object.

const leftOut = [
  /^delete \/v1\/(organization|account|brains\/\{handle\})$/,
  /\/(hold|import|mcp|stream|openapi\.json)$/,
  /^delete .*\/keys\/\{id\}$/,
]

const withoutPatterns = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(withoutPatterns)
  if (!isJsonObject(node)) return node
  const kept = Object.entries(node).filter(
    ([name, value]) => !(name === 'pattern' && typeof value === 'string' && /\(\?|"|\\x/.test(value)),
  )
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutPatterns(value)]))
}

type Operation = { security?: Record<string, unknown>[]; tags: [string]; operationId: string }
type Paths = Record<string, Record<string, Operation>>

const isTried = (method: string, path: string): boolean => !leftOut.some((rule) => rule.test(`${method} ${path}`))

type Components = Record<string, Record<string, unknown>>

const findReferences = (node: unknown): string[] => JSON.stringify(node).match(/#\/components\/\w+\/[\w.-]+/g) ?? []

/** The parts of a document that an operation names, and those that they name: some percent of all, which is read in no time. */
const findComponents = (operation: unknown, all: Components): Components => {
  const found: Components = {}
  const take = (reference: string): void => {
    const [, , kind = '', name = ''] = reference.split('/')
    if (found[kind]?.[name] !== undefined) return
    const component = all[kind]?.[name]
    found[kind] = { ...found[kind], [name]: component }
    findReferences(component).forEach(take)
  }
  findReferences(operation).forEach(take)
  return found
}

/** An operation whose credentials are a key: the watch replaces it by the real one. */
const withKey = (operation: Operation): Operation => ({
  ...operation,
  security: operation.security?.length === 0 ? [] : [{ bearer: [] }],
})

/** A part of the document for Specmatic: one operation of an area. */
export type Part = { area: string; operation: string; document: object }

/** The document for Specmatic, of a service at an address, in parts: of many operations at once it tries the first for an hour. */
export const readParts = (address: string): { parts: Part[]; all: number } => {
  const document = JSON.parse(JSON.stringify(openApiDocument(address)))
  const { bearer } = document.components.securitySchemes
  const operations = Object.entries(document.paths as Paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const parts = operations
    .filter(({ method, path }) => isTried(method, path))
    .map(({ path, method, operation }) => ({
      area: operation.tags[0],
      operation: operation.operationId,
      document: withoutPatterns({
        ...document,
        paths: { [path]: { [method]: withKey(operation) } },
        components: { ...findComponents(operation, document.components), securitySchemes: { bearer } },
      }) as object,
    }))
  return { parts, all: operations.length }
}
