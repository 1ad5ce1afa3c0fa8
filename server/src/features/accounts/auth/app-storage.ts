import { APIError } from 'better-auth/api'
import type { Db } from '../../../storage/database.ts'
import { findGrantEnd } from '../apps/app-queries.ts'
import { readResource } from '../apps/resources.ts'
import type { Adapter } from './auth-database.ts'
import { defineCallValue, withAuthConnection } from './auth-work.ts'
import type { AuthDeps } from './types.ts'

// Better Auth's OAuth provider stores its rows through this adapter. Resources are the addresses of MCP servers, which need no rows.
// A consent is a grant, so the provider's own consents live no longer than the call that makes one. Tokens are stored only for a
// grant that works, and never beyond its end.

type Row = Record<string, unknown>
type Where = { field: string; value: unknown }[] | undefined

/** The consent of the current call. */
const consentOfCall = defineCallValue<Row>()

const findValue = (where: Where, name: string): unknown => where?.find(({ field }) => field === name)?.value

const toResourceRow = (publicUrl: string, identifier: unknown): Row | null => {
  if (typeof identifier !== 'string' || readResource(publicUrl, identifier) === undefined) return null
  return { id: identifier, identifier, name: identifier, disabled: false, dpopBoundAccessTokensRequired: false }
}

/** A consent counts for the grant that it made. */
const findConsent = (where: Where): Row | null => {
  const consent = consentOfCall.get()
  return consent !== undefined && consent.referenceId === findValue(where, 'referenceId') ? consent : null
}

const findEnd = (db: Db, referenceId: unknown, now: Date): Promise<Date | undefined> =>
  withAuthConnection(db, async (on) =>
    typeof referenceId === 'string' ? findGrantEnd(on, referenceId, now) : undefined,
  )

/** A token as it is stored: not bound to the browser session of the consent, and no longer valid than its grant. */
const toTokenRow = async ({ db, clock }: Pick<AuthDeps, 'db' | 'clock'>, row: Row): Promise<Row> => {
  const end = await findEnd(db, row.referenceId, clock.now())
  if (end === undefined)
    throw new APIError('BAD_REQUEST', {
      error: 'invalid_grant',
      error_description: 'The consent has ended: it was revoked, it expired, or its Brain or member is gone.',
    })
  const expiresAt = row.expiresAt instanceof Date && row.expiresAt < end ? row.expiresAt : end
  return { ...row, sessionId: null, expiresAt }
}

const tokens = ['oauthAccessToken', 'oauthRefreshToken']

/** Better Auth's adapter, with the rows of its OAuth provider. */
export const storingApps = (
  deps: Pick<AuthDeps, 'db' | 'clock' | 'settings'>,
  adapter: Omit<Adapter, 'transaction' | 'id' | 'options'>,
): typeof adapter => ({
  ...adapter,
  create: async <T extends Row, R = T>(query: Parameters<typeof adapter.create<T, R>>[0]): Promise<R> => {
    if (query.model === 'oauthConsent') {
      consentOfCall.set(query.data)
      return query.data as unknown as R
    }
    if (!tokens.includes(query.model)) return adapter.create<T, R>(query)
    return adapter.create<T, R>({ ...query, data: (await toTokenRow(deps, query.data)) as T })
  },
  findOne: async <T>(query: Parameters<typeof adapter.findOne<T>>[0]): Promise<T | null> => {
    if (query.model === 'oauthResource')
      return toResourceRow(deps.settings.publicUrl, findValue(query.where, 'identifier')) as T | null
    if (query.model === 'oauthConsent') return findConsent(query.where) as T | null
    return adapter.findOne<T>(query)
  },
})
