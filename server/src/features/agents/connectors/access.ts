import type { SecretBox } from '../../../shared/secret-box.ts'
import { isJsonObject } from '../../../shared/text/json.ts'
import { createMask } from '../../../shared/text/mask-secrets.ts'
import type { ConnectorRow } from './connector-queries.ts'

/** All that is needed to call a connector's server. Never shown, never logged. */
export type ConnectorAccess = { organizationId: string; name: string; url: string; headers: Record<string, string> }

/** Why a connector whose headers are there cannot be used. */
export const unreadableHeaders =
  'Its headers cannot be decrypted, because NOEMA_SECRET has changed. Send them again, or null.'

/** Whose the encrypted headers are: they can be decrypted for the same connector of the same organization alone. */
const secretContext = (organizationId: string, id: string): string => `connector/${organizationId}/${id}`

/** Headers as they are kept; null where there are none. */
export const encryptHeaders = (
  secretBox: SecretBox,
  { organizationId, id }: { organizationId: string; id: string },
  headers: Record<string, string>,
): Buffer | null =>
  Object.keys(headers).length === 0
    ? null
    : secretBox.encrypt(JSON.stringify(headers), secretContext(organizationId, id))

/** Undefined where they were encrypted with another secret of the service. */
export const decryptHeaders = (
  { secretBox }: { secretBox: SecretBox },
  organizationId: string,
  { id, secret }: Pick<ConnectorRow, 'id' | 'secret'>,
): Record<string, string> | undefined => {
  if (secret === null) return {}
  const text = secretBox.decrypt(secret, secretContext(organizationId, id))
  return text === undefined ? undefined : JSON.parse(text)
}

/** The secrets of headers: their values, and the part of each after a scheme such as Bearer. */
export const listSecrets = (headers: Record<string, string>): string[] =>
  Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)])

/** A value of JSON without any of these texts in it: a server may say what it was sent. */
export const maskSecrets = (value: unknown, secrets: readonly string[]): unknown => maskIn(value, createMask(secrets))

const maskIn = (value: unknown, hide: (text: string) => string): unknown => {
  if (typeof value === 'string') return hide(value)
  if (Array.isArray(value)) return value.map((one) => maskIn(one, hide))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [hide(name), maskIn(one, hide)]))
}
