import type { OAuthClientProvider } from '@modelcontextprotocol/client'

/** An application of the official client, and its storage; `asked` is the address that it sends its person to. */
export const createProvider = (redirectUrl: string) => {
  const kept: { client?: unknown; tokens?: unknown; verifier?: unknown; discovery?: unknown; asked?: URL } = {}
  const keep = (name: keyof typeof kept) => (value: unknown) => void Object.assign(kept, { [name]: value })
  const provider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'The official client',
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: 'none',
    },
    state: () => 'of-the-client',
    ...{ clientInformation: () => kept.client, saveClientInformation: keep('client') },
    ...{ tokens: () => kept.tokens, saveTokens: keep('tokens') },
    ...{ codeVerifier: () => kept.verifier, saveCodeVerifier: keep('verifier') },
    ...{ discoveryState: () => kept.discovery, saveDiscoveryState: keep('discovery') },
    redirectToAuthorization: keep('asked'),
  } as unknown as OAuthClientProvider
  return { kept, provider }
}
