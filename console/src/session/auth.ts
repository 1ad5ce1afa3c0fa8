import { isObject } from '@noema/contracts/json.ts'
import { baseUrl } from '../base-path.ts'

// The calls to /api/auth, which Better Auth answers. Every failure is an AuthError with the service's message.

/** A refusal of /api/auth. */
export class AuthError extends Error {
  override name = 'AuthError'
  readonly code: string
  readonly status: number
  readonly requestId: string | undefined

  constructor(failure: { message: string; code: string; status: number; requestId: string | undefined }) {
    super(failure.message)
    this.code = failure.code
    this.status = failure.status
    this.requestId = failure.requestId
  }
}

/** The person who is signed in. */
export type User = { name: string; email: string; emailVerified: boolean; hasTwoFactor: boolean }

type Fields = Record<string, unknown>

export const readText = (fields: Fields, name: string): string => {
  const value = fields[name]
  return typeof value === 'string' ? value : ''
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const toAuthError = (response: Response, body: unknown): AuthError => {
  const fields = isObject(body) ? body : {}
  // Endpoints outside Better Auth report errors as the API does.
  const answered = isObject(fields.error) ? fields.error : {}
  return new AuthError({
    message:
      readText(fields, 'message') ||
      readText(answered, 'message') ||
      `The service responded with ${response.status}, without an explanation.`,
    code: readText(fields, 'code'),
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
  })
}

/** Calls the service at a path and returns its response. */
export const askAt = async (path: string, body?: Fields): Promise<unknown> => {
  let response: Response
  try {
    response = await fetch(baseUrl + path, {
      ...(body && { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
  } catch {
    throw new AuthError({
      message: 'The service cannot be reached. Check that it is running, then try again.',
      code: 'NO_CONNECTION',
      status: 0,
      requestId: undefined,
    })
  }
  const answer = parse(await response.text())
  if (!response.ok) throw toAuthError(response, answer)
  return answer
}

/** Calls /api/auth and returns its response. */
export const ask = (path: string, body?: Fields): Promise<unknown> => askAt(`/api/auth${path}`, body)

/** Calls /api/auth for an object or an empty response. */
export const call = async (path: string, body?: Fields): Promise<Fields | undefined> => {
  const answer = await ask(path, body)
  return isObject(answer) ? answer : undefined
}

/** The signed-in person; undefined without a session. */
export const readUser = async (): Promise<User | undefined> => {
  const user = (await call('/get-session'))?.user
  if (!isObject(user)) return undefined
  return {
    name: readText(user, 'name'),
    email: readText(user, 'email'),
    emailVerified: user.emailVerified === true,
    hasTwoFactor: user.twoFactorEnabled === true,
  }
}

export const signOut = () => call('/sign-out', {})
