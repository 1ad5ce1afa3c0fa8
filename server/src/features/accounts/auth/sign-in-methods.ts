import { createAuthEndpoint } from 'better-auth/api'
import { hasUsers } from './account-queries.ts'
import { withAuthConnection } from './auth-work.ts'
import { toPasskeyDomain } from './passkeys.ts'
import type { AuthDeps } from './types.ts'

/** Lists the sign-in methods and who may sign up, so that pages show only those. */
export const signInMethodsPlugin = ({ db, settings }: AuthDeps) => {
  const { password, signUp, openIdProvider } = settings.signIn
  const methods = {
    password,
    passkey: password ? { domain: toPasskeyDomain(settings.appUrl) } : null,
    openId: openIdProvider === undefined ? null : { name: openIdProvider.name },
  }
  return {
    id: 'sign-in-methods',
    endpoints: {
      signInMethods: createAuthEndpoint('/sign-in-methods', { method: 'GET' }, async (ctx) => {
        const isFirst = signUp !== 'open' && !(await withAuthConnection(db, hasUsers))
        return ctx.json({ ...methods, signUp: isFirst ? 'open' : signUp })
      }),
    },
  }
}
