import { isObject } from '@noema/contracts/json.ts'
import { queryOptions } from '@tanstack/react-query'
import { ask, call, readText } from '../session/auth.ts'
import type { Session } from '../session/session.tsx'

// The queries and changes of a person's own account. It belongs to no organization, so its keys start with 'account'.

/** A signed-in browser. */
export type OpenSession = { id: string; isHere: boolean; createdAt: string; network: string; agent: string }

/** A device with a passkey. */
export type Passkey = { id: string; name: string; createdAt: string }

/** The URI for an authenticator app, and the backup codes. */
export type NewSecondFactor = { uri: string; backupCodes: readonly string[] }

const readList = async (path: string): Promise<Record<string, unknown>[]> => {
  const answer = await ask(path)
  return Array.isArray(answer) ? answer.filter(isObject) : []
}

const readTexts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

/** The sign-in methods of the account: password, provider, or both. */
export const waysQuery = () =>
  queryOptions({
    queryKey: ['account', 'ways'],
    queryFn: async () => {
      const providers = (await readList('/list-accounts')).map((one) => readText(one, 'providerId'))
      return { hasPassword: providers.includes('credential'), hasProvider: providers.includes('oidc') }
    },
  })

export const sessionsQuery = () =>
  queryOptions({
    queryKey: ['account', 'sessions'],
    queryFn: async (): Promise<OpenSession[]> => {
      const [sessions, own] = await Promise.all([readList('/list-sessions'), call('/get-session')])
      const here = isObject(own?.session) ? readText(own.session, 'id') : ''
      return sessions
        .map((one) => ({
          id: readText(one, 'id'),
          isHere: readText(one, 'id') === here,
          createdAt: readText(one, 'createdAt'),
          network: readText(one, 'ipAddress'),
          agent: readText(one, 'userAgent'),
        }))
        .sort((one, other) => Number(other.isHere) - Number(one.isHere) || other.createdAt.localeCompare(one.createdAt))
    },
  })

export const passkeysQuery = () =>
  queryOptions({
    queryKey: ['account', 'passkeys'],
    queryFn: async (): Promise<Passkey[]> =>
      (await readList('/passkey/list-user-passkeys')).map((one) => ({
        id: readText(one, 'id'),
        name: readText(one, 'name') || 'Passkey',
        createdAt: readText(one, 'createdAt'),
      })),
  })

export const renameAccount = (name: string) => call('/update-user', { name })
export const changePassword = (passwords: { currentPassword: string; newPassword: string }) =>
  call('/change-password', passwords)

/** Sessions are revoked by id, so that their tokens stay secret. */
export const endSession = (id: string) => call('/revoke-session', { token: id })
export const endOtherSessions = () => call('/revoke-other-sessions', {})

export const renamePasskey = (id: string, name: string) => call('/passkey/update-passkey', { id, name })
export const removePasskey = (id: string) => call('/passkey/delete-passkey', { id })

/** Starts to turn on two-factor codes. They are required once the first code is confirmed. */
export const beginSecondFactor = async (password: string): Promise<NewSecondFactor> => {
  const made = (await call('/two-factor/enable', { password })) ?? {}
  return { uri: readText(made, 'totpURI'), backupCodes: readTexts(made.backupCodes) }
}
export const makeBackupCodes = async (password: string): Promise<readonly string[]> =>
  readTexts((await call('/two-factor/generate-backup-codes', { password }))?.backupCodes)
export const endSecondFactor = (password: string) => call('/two-factor/disable', { password })

/** Loads the preview of the account's deletion. */
export const accountDeletionQuery = ({ client }: Session) =>
  queryOptions({
    queryKey: ['account', 'deletion'],
    queryFn: ({ signal }) => client.account.previewDeletion({ signal }),
    staleTime: 0,
  })
