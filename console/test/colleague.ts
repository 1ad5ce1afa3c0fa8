import { mailedLink } from '../../server/src/test/app.ts'
import { type Browser, openBrowser } from './browser.ts'
import { type Call, createCaller } from './callers.ts'
import { signUp } from './member.ts'
import { createPerson } from './people.ts'
import type { Service } from './service.ts'

type Colleague = { browser: Browser; call: Call }

/** Signs up in a browser, and a second person of the same organization in a browser of their own. */
export const signUpWithColleague = async (service: Service, browser: Browser, name: string) => {
  const headers = await signUp(service, browser, `${name}@example.com`)
  await browser.page.context().request.get(mailedLink(service, `${name}@example.com`).href)
  const email = `colleague-of-${name}@example.com`
  const post = (cookie: string, path: string, body: object) =>
    service.request('POST', `/api/auth/organization/${path}`, { headers: { origin: service.origin, cookie }, body })
  const organizationId = headers['x-organization-id']
  const invited = await post(headers.cookie, 'invite-member', { email, role: 'admin', organizationId })
  const { cookie } = await createPerson(service, email)
  const accepted = await post(cookie, 'accept-invitation', { invitationId: invited.body.id })
  if (accepted.status !== 200) throw new Error(JSON.stringify(accepted.body))
  const other = await openBrowser(service.origin)
  const [cookieName = '', ...value] = cookie.split('=')
  await other.page.context().addCookies([{ name: cookieName, value: value.join('='), url: service.origin }])
  await other.page.addInitScript(`localStorage.setItem('noema-organization', '${organizationId}')`)
  const call = createCaller(service, { origin: service.origin, cookie, 'x-organization-id': organizationId })
  const colleague: Colleague = { browser: other, call }
  return { call: createCaller(service, headers), colleague }
}
