import { mailedLink } from '../../server/src/test/app.ts'
import { toCode } from '../../server/src/test/totp.ts'
import { password, type Service } from './service.ts'

// Creates accounts before a test opens the browser.

const post = (service: Service, path: string, { body, cookie = '' }: { body: object; cookie?: string }) =>
  service.request('POST', `/api/auth/${path}`, { headers: { origin: service.origin, cookie }, body })

/** A confirmed account. */
export const createPerson = async (service: Service, email: string) => {
  const signedUp = await post(service, 'sign-up/email', { body: { email, password, name: 'Ada' } })
  const cookie = signedUp.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const link = mailedLink(service, email)
  await fetch(service.base + link.pathname + link.search, { redirect: 'manual', headers: { cookie } })
  return { email, cookie }
}

/** An account with two-factor codes. Turning them on used the current code, so the next sign-in takes the next one. */
export const createGuarded = async (service: Service, email: string) => {
  const { cookie } = await createPerson(service, email)
  const { totpURI, backupCodes } = (await post(service, 'two-factor/enable', { body: { password }, cookie })).body
  await post(service, 'two-factor/verify-totp', { body: { code: toCode(totpURI) }, cookie })
  return { totpURI: String(totpURI), backupCodes: backupCodes as string[] }
}
