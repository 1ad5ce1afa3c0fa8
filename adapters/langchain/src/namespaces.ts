import type { ListNamespacesOperation, MatchCondition } from '@langchain/langgraph-checkpoint'

// Lists of a store's namespaces.

const matches = (namespace: readonly string[], { matchType, path }: MatchCondition): boolean => {
  if (path.length > namespace.length) return false
  const compared = matchType === 'prefix' ? namespace.slice(0, path.length) : namespace.slice(-path.length)
  return path.every((label, index) => label === '*' || label === compared[index])
}

/** The labels that every namespace of the list begins with. */
export const findCommonPrefix = ({ matchConditions = [] }: ListNamespacesOperation): string[] => {
  const [prefix] = matchConditions.filter(({ matchType }) => matchType === 'prefix')
  const path = prefix?.path ?? []
  const wildcard = path.indexOf('*')
  return wildcard === -1 ? path : path.slice(0, wildcard)
}

/** The namespaces that an operation asks for, each once and in their order. */
export const selectNamespaces = (
  namespaces: readonly string[][],
  { matchConditions = [], maxDepth, limit, offset }: ListNamespacesOperation,
): string[][] => {
  const matching = namespaces.filter((namespace) => matchConditions.every((condition) => matches(namespace, condition)))
  const shown = new Map(matching.map((one) => one.slice(0, maxDepth)).map((one) => [JSON.stringify(one), one]))
  const sorted = [...shown.values()].sort((one, other) => (one.join('\0') < other.join('\0') ? -1 : 1))
  return sorted.slice(offset, offset + limit)
}
