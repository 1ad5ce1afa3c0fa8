import { endpoints } from '@noema/contracts/api.ts'
import { listErrors } from '@noema/contracts/endpoint-errors.ts'
import { openAiEndpoints } from '@noema/contracts/openai.ts'

// Paths with few parameters come first: /v1/keys/mint would also match /v1/keys/{id}.
const declared = [...endpoints, ...openAiEndpoints]
  .map(({ name, endpoint }) => ({
    name,
    method: endpoint.method,
    segments: endpoint.path.split('/'),
    codes: new Set<string>(listErrors(endpoint).flatMap(([, codes]) => codes)),
  }))
  .sort((one, other) => countParameters(one.segments) - countParameters(other.segments))

function countParameters(segments: readonly string[]): number {
  return segments.filter((segment) => segment.startsWith('{')).length
}

const matchesPath = (template: readonly string[], segments: readonly string[]): boolean =>
  template.length === segments.length &&
  template.every((segment, index) => segment.startsWith('{') || segment === segments[index])

/** Fails if an error response carries a code that its endpoint does not declare in the contract (`errors`). */
export const checkErrorCode = (method: string, path: string, body: unknown): void => {
  const { kind, code } = (body as { error?: { kind?: string; code?: string } | null } | undefined)?.error ?? {}
  // A response of a failed run has an error of another form.
  if (kind === undefined || code === undefined) return
  const segments = path.replace(/\?.*/s, '').split('/')
  const called = method === 'HEAD' ? 'GET' : method
  const found = declared.find((one) => one.method === called && matchesPath(one.segments, segments))
  if (found === undefined || found.codes.has(code)) return
  throw new Error(`${found.name} answered the code ${code}, which its contract does not declare in "errors".`)
}
