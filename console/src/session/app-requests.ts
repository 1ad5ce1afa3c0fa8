import { baseUrl } from '../base-path.ts'
import { call } from './auth.ts'

// The request of an app that wants to be let in, and the consent to it.

export type AppCapability = 'read' | 'write' | 'review'

type LookAlike =
  | { kind: 'mixed_alphabets' }
  | { kind: 'well_known'; name: string; host: string }
  | { kind: 'connected'; name: string; host: string }

/** An organization where the app may be let in. */
export type Place = { id: string; name: string; brains: string[]; agents: boolean }

export type AppRequest = {
  app: { name: string; clientId: string; redirectHost: string; isOnThisMachine: boolean; isConnected: boolean }
  lookAlikes: LookAlike[]
  capabilities: AppCapability[]
  resource: 'brain' | 'agents' | null
  places: Place[]
}

/** The choices of a person. `brain` is a handle, null for the agents. */
export type Choice = { organizationId: string; brain: string | null; capabilities: AppCapability[]; expiresAt: string }

/** Reads the request that the service signed for this session. */
export const readAppRequest = async (signed: string): Promise<AppRequest> =>
  (await call('/oauth2/request', { oauth_query: signed })) as AppRequest

const readTarget = (answer: Record<string, unknown> | undefined): string => {
  if (typeof answer?.url === 'string') return answer.url
  throw new Error('The service did not say where to go on. Start again from the app.')
}

/** Lets the app in. Returns the address of the app to go on at. */
export const consent = async (signed: string, { capabilities, ...grant }: Choice): Promise<string> =>
  readTarget(
    await call('/oauth2/consent', {
      ...{ accept: true, oauth_query: signed, grant },
      scope: [...capabilities, 'offline_access'].join(' '),
    }),
  )

/** Refuses the app. Returns the address of the app to go on at. */
export const refuse = async (signed: string): Promise<string> =>
  readTarget(await call('/oauth2/consent', { accept: false, oauth_query: signed }))

/** The parameters that an app sends. The service adds others when it signs them. */
const ofApp = ['response_type', 'client_id', 'redirect_uri', 'scope', 'state', 'resource'].concat([
  'code_challenge',
  'code_challenge_method',
])

/** The address that signs the request of an app for this session. */
export const toSigning = (search: URLSearchParams): string => {
  const query = new URLSearchParams()
  for (const name of ofApp) for (const value of search.getAll(name)) query.append(name, value)
  return `${baseUrl}/api/auth/oauth2/authorize?${query}`
}
