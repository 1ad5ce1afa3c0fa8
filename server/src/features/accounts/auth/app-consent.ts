import { getOAuthProviderState } from '@better-auth/oauth-provider'
import { appCapabilities } from '@noema/contracts/apps.ts'
import { isObject } from '@noema/contracts/json.ts'
import { APIError, createAuthEndpoint, getSessionFromCtx, sessionMiddleware } from 'better-auth/api'
import { z } from 'zod'
import { ApiError } from '../../../shared/errors.ts'
import { selectConnected, selectHandles, selectPlaces } from '../apps/app-queries.ts'
import { isLoopback, toRedirectHosts } from '../apps/descriptions.ts'
import { grantAccess } from '../apps/granting.ts'
import { findLookAlikes } from '../apps/look-alikes.ts'
import { type AppTarget, consentPage, readResource } from '../apps/resources.ts'
import { defineCallValue, findAuthTransaction, withAuthConnection } from './auth-work.ts'
import { type Hook, refused } from './call-checks.ts'
import type { AuthDeps } from './types.ts'

// The consent of a person to an app. The page of the consent gets the request of the app as a query that Better Auth signed for one
// session of one person, and sends it back with the person's choice. No consent is remembered: each request of an app is shown.

const choice = z.object({
  organizationId: z.string().min(1).max(200),
  /** The handle of a Brain; null for the agents of the organization. */
  brain: z.string().min(1).max(200).nullable(),
  expiresAt: z.iso.datetime().transform((text) => new Date(text)),
})

type Choice = z.output<typeof choice> & { grantId?: string }

/** The person's choice, and the grant that it made. */
const choiceOfCall = defineCallValue<Choice>()

/** The page of the consent is for people who are signed in, whatever it sends. */
export const requireSession: Hook = async (_deps, ctx) => {
  if (!(await getSessionFromCtx(ctx))) throw new APIError('UNAUTHORIZED', { code: 'UNAUTHORIZED', message: 'Sign in.' })
}

/** Reads the choice, which Better Auth does not know. */
export const readChoice: Hook = async (deps, ctx) => {
  await requireSession(deps, ctx)
  const { body } = ctx
  if (!isObject(body) || body.accept !== true) return
  const read = choice.safeParse(body.grant)
  if (!read.success) throw refused('INVALID_GRANT_CHOICE', 'Send grant: organizationId, brain and expiresAt.')
  choiceOfCall.set(read.data)
}

/** Leads people to sign in before anything about the app is looked up. */
export const requireSignIn: Hook = async ({ settings }, ctx) => {
  if (ctx.request?.method !== 'GET' || (await getSessionFromCtx(ctx))) return
  throw ctx.redirect(`${settings.appUrl}${consentPage}?${new URL(ctx.request.url).searchParams}`)
}

type Asked = { clientId: string; redirectUri: string; scopes: string[]; target: AppTarget | undefined }

const startAgain = 'This request is not yours, or it is too old. Start again from the app.'

/** The request of the app, whose signature was checked: it was shown to this session. */
const readAsked = async ({ settings }: AuthDeps, sessionId: string): Promise<Asked> => {
  const state = await getOAuthProviderState()
  // Anyone can send a person the address of a page that another person was shown.
  if (!state?.query || state.postLoginClearedForSession !== sessionId) throw refused('REQUEST_NOT_YOURS', startAgain)
  const query = new URLSearchParams(state.query)
  const [resource, ...others] = query.getAll('resource')
  if (others.length > 0) throw refused('TOO_MANY_RESOURCES', 'An app asks for one resource at a time.')
  const target = resource === undefined ? undefined : readResource(settings.publicUrl, resource)
  if (resource !== undefined && target === undefined) throw refused('UNKNOWN_RESOURCE', startAgain)
  return {
    clientId: query.get('client_id') ?? '',
    redirectUri: query.get('redirect_uri') ?? '',
    scopes: (query.get('scope') ?? '').split(' '),
    target,
  }
}

/** A choice must be what the app asked for, where it asked for one. */
const checkTarget = ({ target }: Asked, { brain }: Choice): void => {
  if (target === undefined) return
  const isAsked = target === 'agents' ? brain === null : brain === target.handle
  if (!isAsked) throw refused('OTHER_RESOURCE', 'The app did not ask for this. Start again from the app.')
}

const statuses = {
  unauthorized: 'UNAUTHORIZED',
  forbidden: 'FORBIDDEN',
  not_found: 'NOT_FOUND',
  conflict: 'CONFLICT',
} as const

const toApiError = (error: unknown): unknown => {
  if (!(error instanceof ApiError)) return error
  const status = error.kind in statuses ? statuses[error.kind as keyof typeof statuses] : 'BAD_REQUEST'
  return new APIError(status, { code: 'CONSENT_REFUSED', message: error.message })
}

type Person = { user: { id: string }; session: { id: string }; scopes: readonly string[] }

/** The grant that codes and tokens of this call name. It is made once in the call of a consent; no other call has one. */
export const findGrant = async (deps: AuthDeps, { user, session, scopes }: Person): Promise<string> => {
  const chosen = choiceOfCall.get()
  if (!chosen) return 'none'
  if (chosen.grantId !== undefined) return chosen.grantId
  const asked = await readAsked(deps, session.id)
  checkTarget(asked, chosen)
  const tx = await findAuthTransaction()
  if (!tx) throw new Error('a consent is one transaction')
  try {
    chosen.grantId = await grantAccess(
      tx,
      { now: deps.clock.now(), maxKeys: deps.settings.maxKeys },
      {
        ...{ clientId: asked.clientId, userId: user.id, organizationId: chosen.organizationId },
        handle: chosen.brain ?? undefined,
        capabilities: appCapabilities.filter((name) => scopes.includes(name)),
        expiresAt: chosen.expiresAt,
      },
    )
    return chosen.grantId
  } catch (error) {
    throw toApiError(error)
  }
}

/** The organizations where the person may let the app in, with the Brains to choose from. */
const findPlaces = async ({ db }: AuthDeps, userId: string, target: AppTarget | undefined) => {
  const handle = typeof target === 'object' ? target.handle : undefined
  const places = await selectPlaces(db, userId, handle)
  if (target === 'agents') return places.map(({ id, name }) => ({ id, name, brains: [], agents: true }))
  if (handle !== undefined)
    return places.flatMap(({ id, name, brain }) =>
      brain === null ? [] : [{ id, name, brains: [brain], agents: false }],
    )
  const handles = await selectHandles(
    db,
    userId,
    places.map(({ id }) => id),
  )
  return places.map(({ id, name }) => {
    const brains = handles.flatMap((one) => (one.organizationId === id ? [one.handle] : []))
    return { id, name, brains, agents: true }
  })
}

const describeApp = async (
  { db, clock }: AuthDeps,
  userId: string,
  {
    clientId,
    redirectUri,
    client,
  }: {
    clientId: string
    redirectUri: string
    client: { name?: string | undefined } | null
  },
) => {
  const isOnThisMachine = isLoopback(redirectUri)
  const [redirectHost = ''] = toRedirectHosts([redirectUri])
  const name = client?.name ?? redirectHost
  const connected = await selectConnected(db, userId, clock.now())
  const others = connected.flatMap((one) =>
    one.clientId === clientId ? [] : [{ name: one.name, hosts: toRedirectHosts(one.redirectUris) }],
  )
  return {
    app: {
      ...{ name, clientId, redirectHost, isOnThisMachine },
      isConnected: connected.some((one) => one.clientId === clientId),
    },
    lookAlikes: findLookAlikes({ name, hosts: [redirectHost], isOnThisMachine }, others),
  }
}

/** Describes the request of an app, for the page of the consent. */
export const appRequestPlugin = (deps: AuthDeps) => ({
  id: 'app-requests',
  endpoints: {
    appRequest: createAuthEndpoint(
      '/oauth2/request',
      { method: 'POST', body: z.object({ oauth_query: z.string().min(1).max(8_000) }), use: [sessionMiddleware] },
      async (ctx) => {
        const { user, session } = ctx.context.session
        const asked = await readAsked(deps, session.id)
        const where = [{ field: 'clientId', value: asked.clientId }]
        const client = await ctx.context.adapter.findOne<{ name?: string }>({ model: 'oauthClient', where })
        const described = await withAuthConnection(deps.db, () => describeApp(deps, user.id, { ...asked, client }))
        return ctx.json({
          ...described,
          capabilities: appCapabilities.filter((name) => asked.scopes.includes(name)),
          resource: asked.target === undefined ? null : asked.target === 'agents' ? 'agents' : 'brain',
          places: await withAuthConnection(deps.db, () => findPlaces(deps, user.id, asked.target)),
        })
      },
    ),
  },
})
