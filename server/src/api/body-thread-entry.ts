import { parentPort } from 'node:worker_threads'
import { endpoints } from '@noema/contracts/api.ts'
import { ApiError } from '../shared/errors.ts'
import { readBody } from './body.ts'
import { type BodyAnswer, type BodyJob, toEndpointName } from './body-reader.ts'
import { checkKeepable, parseCounted } from './read-json.ts'

// The thread on which large JSON is read, so that the others' requests do not wait meanwhile.

const byName = new Map(endpoints.map(({ endpoint }) => [toEndpointName(endpoint), endpoint]))

// Values cross between threads one by one, which takes far longer than to parse their text again; long texts do not.
const maxCopiedValues = 2_000

const read = (job: BodyJob): { body: unknown; values: number } => {
  const endpoint = job.endpoint === undefined ? undefined : byName.get(job.endpoint)
  if (endpoint) return readBody(endpoint, job.bytes)
  const { value, values } = parseCounted(job.bytes, job.source)
  if (job.isKept) checkKeepable(value, job.source.root)
  return { body: value, values }
}

const answer = (job: BodyJob): BodyAnswer => {
  try {
    const { body, values } = read(job)
    return values <= maxCopiedValues ? { value: body } : { json: JSON.stringify(body) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { kind, message, code, details, at } = error
    return {
      error: { kind, message, extras: { ...(code && { code }), ...(details && { details }), ...(at && { at }) } },
    }
  }
}

parentPort?.on('message', (job: BodyJob) => parentPort?.postMessage(answer(job)))
