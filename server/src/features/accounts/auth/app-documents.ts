import type { OAuthProviderExtension } from '@better-auth/oauth-provider'
import { appCapabilities } from '@noema/contracts/apps.ts'
import { readDescription } from '../apps/descriptions.ts'
import { offlineScope } from './app-calls.ts'
import type { AuthDeps } from './types.ts'

// Apps whose client_id is the https address of a document that describes them (client ID metadata documents). The address proves
// whose app it is, as far as its host does. The document is read when a signed-in person is asked, and again after an hour.

type Discovery = NonNullable<Exclude<NonNullable<OAuthProviderExtension['clientDiscovery']>, readonly unknown[]>>
type Client = NonNullable<Awaited<ReturnType<Discovery['resolve']>>>
type Context = Parameters<Discovery['resolve']>[0]

const id = 'metadata-document'
const maxLength = 500
const maxBytes = 16 * 1024
const freshMilliseconds = 3_600_000

/** True for an address that may be a client_id: https, with a path, and nothing that could lead elsewhere. */
const isDocumentAddress = (clientId: string): boolean => {
  if (clientId.length > maxLength || !clientId.startsWith('https://') || !URL.canParse(clientId)) return false
  const { pathname, hash, username, password, href } = new URL(clientId)
  return href === clientId && pathname !== '/' && hash === '' && username === '' && password === ''
}

/** Reads the document of a client; undefined where it is not one. */
const readDocument = async ({ fetchDocument, log }: AuthDeps, clientId: string) => {
  try {
    const response = await fetchDocument(clientId, { headers: { accept: 'application/json' }, redirect: 'manual' })
    const text = await response.text()
    if (response.status !== 200 || text.length > maxBytes) return undefined
    const document: unknown = JSON.parse(text)
    // It must name itself, so that no app can point to the document of another.
    const isOwn = typeof document === 'object' && document !== null && Reflect.get(document, 'client_id') === clientId
    const described = isOwn ? readDescription({ token_endpoint_auth_method: 'none', ...document }) : undefined
    return described && !('error' in described) && described.authMethod === 'none' ? described : undefined
  } catch (error) {
    log.debug({ err: error, clientId }, 'the description of an app could not be read')
    return undefined
  }
}

const isFresh = ({ updatedAt }: { updatedAt?: Date | undefined }, now: Date): boolean =>
  updatedAt !== undefined && now.getTime() - updatedAt.getTime() < freshMilliseconds

const store = async ({ adapter }: Context['context'], existing: Client | null, row: Client): Promise<Client | null> => {
  const where = [{ field: 'clientId', value: row.clientId }]
  if (existing) return adapter.update<Client>({ model: 'oauthClient', where, update: row })
  try {
    return await adapter.create({ model: 'oauthClient', data: row })
  } catch {
    // Another call stored it at the same moment.
    return adapter.findOne<Client>({ model: 'oauthClient', where })
  }
}

/** Finds apps by the address of their description. */
export const documentDiscovery = (deps: AuthDeps): Discovery => ({
  id,
  matches: isDocumentAddress,
  resolve: async (ctx, clientId, existing) => {
    const now = new Date()
    // Only a signed-in person makes this service read an address. An app that fetches tokens was read before.
    if (ctx.path !== '/oauth2/authorize' || (existing && isFresh(existing, now))) return existing
    const described = await readDocument(deps, clientId)
    if (!described) return existing
    const { name, redirectUris } = described
    return store(ctx.context, existing, {
      clientId,
      clientDiscoveryId: id,
      name,
      redirectUris,
      tokenEndpointAuthMethod: 'none',
      grantTypes: ['authorization_code', 'refresh_token'],
      responseTypes: ['code'],
      applicationType: 'native',
      scopes: [...appCapabilities, offlineScope],
      createdAt: existing?.createdAt ?? now,
      updatedAt: now,
    } as Client)
  },
})
