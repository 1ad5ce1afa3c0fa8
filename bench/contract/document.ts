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

type Operation = { security: Record<string, unknown>[]; tags: [string]; operationId: string }
type Paths = Record<string, Record<string, Operation>>

/** Some of the document's operations, by path and method, without those that are not tried. */
const selectOperations = (paths: Paths, isSelected: (operation: Operation) => boolean): Paths =>
  Object.fromEntries(
    Object.entries(paths)
      .map(([path, methods]): [string, Record<string, Operation>] => [
        path,
        Object.fromEntries(
          Object.entries(methods).filter(
            ([method, operation]) => !leftOut.some((rule) => rule.test(`${method} ${path}`)) && isSelected(operation),
          ),
        ),
      ])
      .filter(([, methods]) => Object.keys(methods).length > 0),
  )

/** An operation whose credentials are a key: what it is called with in truth, the watch puts in its place. */
const withKey = (operation: Operation): Operation => ({
  ...operation,
  security: operation.security.length > 0 ? [{ bearer: [] }] : [],
})

/** A part of the document for Specmatic: the operations of one area. */
export type Part = { area: string; operations: number; document: object }

/** The document for Specmatic, of a service at an address, in parts: of all at once it tries the first for an hour. */
export const readParts = (address: string): { parts: Part[]; all: number } => {
  const document = JSON.parse(JSON.stringify(openApiDocument(address)))
  const paths: Paths = document.paths
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const areas = [...new Set(operations.map(({ tags: [area] }) => area))]
  const { bearer } = document.components.securitySchemes
  const parts = areas.map((area) => {
    const selected = Object.entries(selectOperations(paths, ({ tags }) => tags[0] === area)).map(([path, methods]) => [
      path,
      Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, withKey(operation)])),
    ])
    return {
      area,
      operations: selected.reduce((sum, [, methods]) => sum + Object.keys(methods ?? {}).length, 0),
      document: withoutPatterns({
        ...document,
        paths: Object.fromEntries(selected),
        components: { ...document.components, securitySchemes: { bearer } },
      }) as object,
    }
  })
  return { parts: parts.filter((part) => part.operations > 0), all: operations.length }
}
