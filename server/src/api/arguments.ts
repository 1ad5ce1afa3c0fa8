import type { Endpoint } from '@noema/contracts/endpoint.ts'

/** The part of an HTTP request that carries an argument. */
export type Part = 'path' | 'query' | 'body' | 'header'

const pathNames = ({ path }: Endpoint): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')

const namesIn = (schema: Endpoint['query'] | Endpoint['body']): string[] =>
  schema && 'shape' in schema ? Object.keys(schema.shape as object) : []

const placeArguments = (endpoint: Endpoint): ReadonlyMap<string, Part> =>
  new Map<string, Part>([
    ...pathNames(endpoint).map((name) => [name, 'path'] as const),
    ...namesIn(endpoint.query).map((name) => [name, 'query'] as const),
    ...namesIn(endpoint.body).map((name) => [name, 'body'] as const),
    ...(endpoint.idempotencyKey === 'header' ? [['idempotencyKey', 'header'] as const] : []),
    ...(endpoint.ifMatch ? [['ifMatch', 'header'] as const] : []),
  ])

const placed = new Map<Endpoint, ReadonlyMap<string, Part>>()

/**
 * The arguments of an endpoint, each with the part of a request that carries it. Their names are distinct across all parts, so
 * that they can also be given as one flat object. Made once: a contract does not change while the service runs.
 */
const argumentParts = (endpoint: Endpoint): ReadonlyMap<string, Part> => {
  const known = placed.get(endpoint) ?? placeArguments(endpoint)
  placed.set(endpoint, known)
  return known
}

/** The part that carries an argument; undefined if the endpoint takes none of this name. */
export const argumentPart = (endpoint: Endpoint, name: string): Part | undefined => argumentParts(endpoint).get(name)

/** The names of an endpoint's arguments, or of those that one part carries. The Brain's handle is none: a caller has it. */
export const argumentNames = (endpoint: Endpoint, part?: Part): string[] =>
  [...argumentParts(endpoint)]
    .filter(([name, carrier]) => name !== 'handle' && (part === undefined || carrier === part))
    .map(([name]) => name)
