import type { Endpoint } from '@noema/contracts/endpoint.ts'
import type { TestApp, TestBrain } from './app.ts'
import { endpointRows, type NamedEndpoint } from './endpoints/all.ts'
import type { Parts } from './endpoints/row.ts'

// Calls of endpoints from their rows, for tests that hold for all endpoints.

/** The credential of a member for an endpoint. */
export const sampleCredential = (
  { access }: Endpoint,
  { key, session }: Pick<TestBrain, 'key' | 'session'>,
): Record<string, string> =>
  access === 'session' || access === 'account' ? session : { authorization: `Bearer ${key}` }

export type SampleCall = { method: string; path: string; body?: unknown; headers?: Record<string, string> }

/** A path with its parameters filled in, each percent-encoded. */
export const fillPath = (path: string, params: Record<string, string>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(params[name] ?? `no-${name}`))

/** A call of an endpoint with these parts. */
export const toCall = (
  { method, path }: Endpoint,
  handle: string,
  { params, query = '', body, headers }: Parts,
): SampleCall => ({
  method,
  path: fillPath(path, { handle, ...params }) + query,
  ...(body === undefined ? {} : { body }),
  ...(headers === undefined ? {} : { headers }),
})

/** A call of an endpoint on a Brain that succeeds, on things created for it alone. */
export const sampleCall = async (
  test: TestApp,
  brain: TestBrain,
  { name, endpoint }: NamedEndpoint,
): Promise<SampleCall> => toCall(endpoint, brain.brain.handle, await endpointRows[name].call(test, brain))

/** The state of a Brain, its keys and its organization as the API shows it. A call that changes nothing leaves it equal. */
export const readState = async (test: TestApp, { key, session, path }: TestBrain): Promise<unknown> => {
  const reads = await Promise.all([
    test.request('GET', `${path}/events?limit=1&types=availability.changed`, { key }),
    test.request('GET', path, { key }),
    test.request('GET', `${path}/keys?limit=500`, { key }),
    test.request('GET', '/v1/brains?limit=500', { key }),
    test.request('GET', '/v1/keys?limit=500', { headers: session }),
  ])
  // The last use of a key and the progress of the search index are written in the background.
  const text = JSON.stringify(reads.map(({ body }) => body.data))
  return JSON.parse(text, (name, value) =>
    // A rotated key expires when its time is over, which no call does.
    name === 'status' && value === 'expired' ? 'active' : ['lastUsedAt', 'indexing'].includes(name) ? undefined : value,
  )
}
