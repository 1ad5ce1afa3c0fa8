import { openApiDocument } from '../../server/src/http/openapi.ts'
import { isJsonObject } from '../../server/src/shared/json.ts'

// The document as Specmatic can read it. It knows no cookies as credentials and generates texts for plain patterns alone; and
// what ends the Brain, the organization or the account that everything else is tried on is not for a machine to try.

const leftOut = [
  /^delete \/v1\/(organization|account|brains\/\{handle\})$/,
  /\/(hold|import|mcp|stream)$/,
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

type Operation = { security: Record<string, unknown>[] }

/** Its operations, tried with a key alone. */
const toTried = (path: string, methods: Record<string, Operation>) =>
  Object.fromEntries(
    Object.entries(methods)
      .filter(([method]) => !leftOut.some((rule) => rule.test(`${method} ${path}`)))
      .map(([method, operation]) => [
        method,
        { ...operation, security: operation.security.filter(({ bearer }) => bearer !== undefined) },
      ]),
  )

/** The document for Specmatic, of a service at an address. */
export const triedDocument = (address: string): object => {
  const document = JSON.parse(JSON.stringify(openApiDocument(address)))
  const paths = Object.entries<Record<string, Operation>>(document.paths).map(
    ([path, methods]) => [path, toTried(path, methods)] as const,
  )
  const { bearer } = document.components.securitySchemes
  return withoutPatterns({
    ...document,
    paths: Object.fromEntries(paths.filter(([, methods]) => Object.keys(methods).length > 0)),
    components: { ...document.components, securitySchemes: { bearer } },
  }) as object
}
