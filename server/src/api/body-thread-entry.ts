import { parentPort } from 'node:worker_threads'
import { endpoints } from '@noema/contracts/api.ts'
import { ApiError } from '../shared/errors.ts'
import { lowerThreadPriority } from '../shared/threads/thread-priority.ts'
import { type ReadBody, readBody } from './body.ts'
import { type BodyAnswer, type BodyJob, toEndpointName } from './body-reader.ts'
import { checkKeepable, parseCounted } from './read-json.ts'

// The thread on which large JSON is read, so that the others' requests do not wait meanwhile.

const byName = new Map(endpoints.map(({ endpoint }) => [toEndpointName(endpoint), endpoint]))

// Values cross between threads one by one, which takes far longer than to parse their text again; long texts do not.
const maxCopiedValues = 2_000

const read = (job: BodyJob): ReadBody => {
  const endpoint = job.endpoint === undefined ? undefined : byName.get(job.endpoint)
  if (endpoint) return readBody(endpoint, job.bytes, job.isStrict)
  const { value, values } = parseCounted(job.bytes, job.source)
  if (job.isKept) checkKeepable(value, job.source.root)
  return { body: value, ignored: { paths: [], count: 0 }, values }
}

const answer = (job: BodyJob): BodyAnswer => {
  try {
    const { body, ignored, values } = read(job)
    return values <= maxCopiedValues ? { value: body, ignored } : { json: JSON.stringify(body), ignored }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { kind, message, code, details, at } = error
    return {
      error: { kind, message, extras: { ...(code && { code }), ...(details && { details }), ...(at && { at }) } },
    }
  }
}

lowerThreadPriority('large requests')

parentPort?.on('message', (job: BodyJob) => parentPort?.postMessage(answer(job)))
