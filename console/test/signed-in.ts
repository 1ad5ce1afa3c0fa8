import type { Browser } from './browser.ts'
import { type Call, createCaller } from './callers.ts'
import { password, type Service } from './service.ts'

/** Creates an account on the sign-up page and returns a function that calls the service with its session. */
export const signUpOnPage = async ({ page }: Browser, service: Service, email: string): Promise<Call> => {
  await page.goto('/sign-up')
  await page.getByLabel('Name').fill('Ada')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByText('Your address is not confirmed yet').waitFor()
  const cookies = await page.context().cookies()
  const headers = {
    origin: service.origin,
    cookie: cookies.map((cookie) => `${cookie.name}=${cookie.value}`).join('; '),
  }
  const whoami = await service.request('GET', '/v1/whoami', { headers })
  return createCaller(service, { ...headers, 'x-organization-id': whoami.body.data.organizations[0].id })
}
