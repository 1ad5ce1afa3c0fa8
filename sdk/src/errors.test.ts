import { expect, test } from 'vitest'
import { createClient } from './client.ts'
import {
  ApiError,
  ConflictError,
  ForbiddenError,
  InternalError,
  NoemaError,
  NotFoundError,
  RateLimitedError,
  UnauthorizedError,
  UnavailableError,
  ValidationError,
} from './errors.ts'
import { type ScriptedAnswer, startScriptedServer } from './test/scripted-server.ts'

const catchError = async (answer: ScriptedAnswer): Promise<unknown> => {
  const { url } = await startScriptedServer([answer])
  return createClient({ baseUrl: url, maxRetries: 0 })
    .whoami()
    .catch((thrown: unknown) => thrown)
}

test.each([
  [400, 'validation', ValidationError],
  [401, 'unauthorized', UnauthorizedError],
  [403, 'forbidden', ForbiddenError],
  [404, 'not_found', NotFoundError],
  [409, 'conflict', ConflictError],
  [429, 'rate_limited', RateLimitedError],
  [500, 'internal', InternalError],
  [503, 'unavailable', UnavailableError],
])('%i %s has its own class, which is an ApiError and a NoemaError', async (status, kind, ErrorClass) => {
  const error = await catchError({ status, error: { kind, message: 'No.' } })
  expect(error).toBeInstanceOf(ErrorClass)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toBeInstanceOf(NoemaError)
  expect(error).toMatchObject({ name: ErrorClass.name, status, kind, message: 'No.', requestId: 'req_1', details: [] })
})

test('an error has the code, the details and the seconds to wait', async () => {
  const details = [{ path: 'body.kind', message: 'Required.', index: 3 }]
  const error = { kind: 'rate_limited', message: 'Slower.', code: 'spent', details }
  expect(await catchError({ status: 429, error, headers: { 'retry-after': '12' } })).toMatchObject({
    code: 'spent',
    details,
    retryAfterSeconds: 12,
  })
})

test('a kind that this client does not know is an ApiError that carries it', async () => {
  const error = await catchError({ status: 402, error: { kind: 'payment', message: 'Pay.' } })
  expect(error).toMatchObject({ name: 'ApiError', kind: 'payment', status: 402 })
})

test.each([
  [502, 'unavailable'],
  [504, 'unavailable'],
  [500, 'internal'],
  [404, 'not_found'],
  [413, 'unknown'],
])("a proxy's own %i page gets the kind that its status has: %s", async (status, kind) => {
  expect(await catchError({ status, text: '<html>' })).toMatchObject({ status, kind })
})
