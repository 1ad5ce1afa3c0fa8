import { createAuthEndpoint } from 'better-auth/api'
import type { AuthDeps } from './better-auth.ts'
import { toPasskeyDomain } from './passkeys.ts'

/** Tells pages by what people sign in here, so that they show nothing else. */
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
