import { type Endpoint, takesJson } from './endpoint.ts'
import { type ErrorCode, errorCodes, findKind } from './error-codes.ts'
import { type ErrorKind, errorStatus } from './error-status.ts'

// The errors that an endpoint can answer: those that follow from its form, and those that it declares.

type Declared = ErrorKind | ErrorCode

/** The errors of any endpoint of this form, as `errors` of an endpoint declares its own. */
const listErrorsOfForm = (endpoint: Endpoint): Declared[] => {
  const { path, idempotencyKey, ifMatch, makesBrain, jsonRpc, tail, sse, wait, ndjson, file, list } = endpoint
  const isAboutOne = (makesBrain ? path.replace('{handle}', '') : path).includes('{')
  return [
    // A credential that comes with a public request is checked, too.
    ...(['validation', 'unauthorized', 'rate_limited', 'internal', 'overloaded', 'MISSING_OR_NULL_ORIGIN'] as const),
    ...(isAboutOne ? (['not_found'] as const) : []),
    ...(takesJson(endpoint) || jsonRpc ? (['body_too_large', 'too_many_bodies'] as const) : []),
    ...(idempotencyKey === 'header' ? (['idempotency_key_reused'] as const) : []),
    ...(ifMatch ? (['stale_version'] as const) : []),
    ...(list !== undefined && path.startsWith('/v1/brains/{handle}/') ? (['stale_cursor'] as const) : []),
    ...(tail || sse || wait ? (['too_many_streams'] as const) : []),
    ...(ndjson ? (['too_many_transfers'] as const) : []),
    ...(file ? (['too_many_files'] as const) : []),
  ]
}

const isKind = (name: Declared): name is ErrorKind => Object.hasOwn(errorStatus, name)

/** The kinds of error that an endpoint can answer, in the order of their statuses, with the codes that each may carry. */
export const listErrors = (endpoint: Endpoint): [ErrorKind, ErrorCode[]][] => {
  // The document is served from memory to anyone.
  if (endpoint.isBare) return [['validation', []]]
  const names = new Set([...listErrorsOfForm(endpoint), ...(endpoint.errors ?? [])])
  const codes = [...names].filter((name) => !isKind(name))
  return (Object.keys(errorStatus) as ErrorKind[]).flatMap((kind) => {
    const own = codes.filter((code) => findKind(code) === kind)
    return names.has(kind) || own.length > 0 ? [[kind, own] as [ErrorKind, ErrorCode[]]] : []
  })
}

/** Every code that exists. */
export const allCodes: readonly string[] = Object.values(errorCodes).flatMap((codes) => Object.keys(codes))
