import { createAuthEndpoint } from 'better-auth/api'
import { toPasskeyDomain } from './passkeys.ts'
import type { AuthDeps } from './types.ts'

/** Lists the sign-in methods, so that pages show only those. */
export const signInMethodsPlugin = ({ settings }: AuthDeps) => {
  const { password, openIdProvider } = settings.signIn
  const methods = {
    password,
    passkey: password ? { domain: toPasskeyDomain(settings.appUrl) } : null,
    openId: openIdProvider === undefined ? null : { name: openIdProvider.name },
  }
  return {
    id: 'sign-in-methods',
    endpoints: {
      signInMethods: createAuthEndpoint('/sign-in-methods', { method: 'GET' }, async (ctx) => ctx.json(methods)),
    },
  }
}
