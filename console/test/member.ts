import type { Browser } from './browser.ts'
import { password, type Service } from './service.ts'

/** Creates an account in the browser's own session, without the form. Returns the headers of its requests. */
export const signUp = async (service: Service, { page }: Browser, email: string) => {
  const context = page.context()
  const headers = { origin: service.origin }
  const made = await context.request.post('/api/auth/sign-up/email', {
    headers,
    data: { email, password, name: 'Ada Okafor' },
  })
  if (!made.ok()) throw new Error(`${made.status()} ${await made.text()}`)
  const whoami = await (await context.request.get('/v1/whoami', { headers })).json()
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
  const organizationId: string = whoami.data.organizations[0].id
  return { ...headers, cookie, 'x-organization-id': organizationId }
}
