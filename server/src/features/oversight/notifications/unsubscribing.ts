import { z } from 'zod'
import type { SecretBox } from '../../../shared/secret-box.ts'
import type { Db } from '../../../storage/database.ts'
import { endMail } from './mail-queries.ts'

// The link in a mail can end that mail and nothing else, so it needs no sign-in (RFC 8058). It names its recipient, readable by
// the service alone, and works for as long as its secret stays.

type Person = { organizationId: string; userId: string }

const context = 'unsubscribe from notifications'
const named = z.tuple([z.string(), z.string()])

/** The address at which a person ends their daily mail of an organization. */
export const toUnsubscribeUrl = (
  { secretBox, publicUrl }: { secretBox: SecretBox; publicUrl: string },
  { organizationId, userId }: Person,
): string => {
  const token = secretBox.encrypt(JSON.stringify([organizationId, userId]), context).toString('base64url')
  return `${publicUrl}/unsubscribe?token=${token}`
}

const readToken = (secretBox: SecretBox, token: string): Person | undefined => {
  const text = secretBox.decrypt(Buffer.from(token, 'base64url'), context)
  if (text === undefined) return undefined
  const [organizationId, userId] = named.parse(JSON.parse(text))
  return { organizationId, userId }
}

/** Ends the mail that a link is about; false where the link is none of this service's. */
export const unsubscribe = async (
  { db, secretBox }: { db: Db; secretBox: SecretBox },
  token: string,
): Promise<boolean> => {
  const person = readToken(secretBox, token)
  if (!person) return false
  await endMail(db, person)
  return true
}
