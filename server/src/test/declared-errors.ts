import { endpoints } from '@noema/contracts/api.ts'
import { listErrors } from '@noema/contracts/endpoint-errors.ts'
import { openAiEndpoints } from '@noema/contracts/openai.ts'

// Paths with few parameters come first: /v1/keys/mint would also match /v1/keys/{id}.
const declared = [...endpoints, ...openAiEndpoints]
  .map(({ name, endpoint }) => {
    const errors = listErrors(endpoint)
    return {
      name,
      method: endpoint.method,
      segments: endpoint.path.split('/'),
      names: new Set<string>(errors.flatMap(([kind, codes]) => [kind, ...codes])),
    }
  })
  .sort((one, other) => countParameters(one.segments) - countParameters(other.segments))

function countParameters(segments: readonly string[]): number {
  return segments.filter((segment) => segment.startsWith('{')).length
}

const matchesPath = (template: readonly string[], segments: readonly string[]): boolean =>
  template.length === segments.length &&
  template.every((segment, index) => segment.startsWith('{') || segment === segments[index])

/** Fails if an error response is of a kind, or carries a code, that the contract of its endpoint does not have. */
export const checkDeclared = (method: string, path: string, body: unknown): void => {
  const { kind, code } = (body as { error?: { kind?: string; code?: string } | null } | undefined)?.error ?? {}
  // A response of a failed run has an error of another form.
  if (kind === undefined) return
  const segments = path.replace(/\?.*/s, '').split('/')
  const called = method === 'HEAD' ? 'GET' : method
  const found = declared.find((one) => one.method === called && matchesPath(one.segments, segments))
  const missing = [kind, code].find((name) => name !== undefined && found?.names.has(name) === false)
  if (found === undefined || missing === undefined) return
  throw new Error(`${found.name} answered ${missing}, which its contract does not declare in "errors".`)
}
