import type { Service } from './service.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads the values that it expects, and fails if they are missing
type Answer = any

/** Calls the service and returns the data of its answer. Throws if it refuses. */
export type Call = (method: string, path: string, body?: object) => Promise<Answer>

/** Calls the service with a session. */
export const createCaller =
  (service: Service, headers: Record<string, string>): Call =>
  async (method, path, body) => {
    const answer = await service.request(method, path, { headers, body })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body.data
  }

/** Calls one Brain with a session. Paths are below that of the Brain. */
export const createBrainCaller = (service: Service, headers: Record<string, string>, handle: string): Call => {
  const call = createCaller(service, headers)
  return (method, path, body) => call(method, `/v1/brains/${handle}${path}`, body)
}
