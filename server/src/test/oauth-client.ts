import { auth, Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

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

/** Connects the official client to the address of an MCP server, and lists its tools. */
export const listToolsAt = async (address: string, provider: OAuthClientProvider): Promise<string[]> => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { authProvider: provider }))
  const names = (await client.listTools()).tools.map(({ name }) => name)
  await client.close()
  return names
}

/** Gives the client the answer that its person came back with. */
export const finishAuthorization = (address: string, provider: OAuthClientProvider, answer: URLSearchParams) =>
  auth(provider, {
    serverUrl: address,
    ...{ authorizationCode: answer.get('code') ?? '', iss: answer.get('iss') ?? '' },
  })
