import type { Browser } from './browser.ts'
import { password, type Service } from './service.ts'

/** Signs somebody new up on the page; answers how their session calls the service. */
export const signUpOnPage = async ({ page }: Browser, service: Service, name = 'Ada') => {
  await page.goto('/sign-up')
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Email').fill(`${name.toLowerCase()}@example.com`)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByText('Your address is not confirmed yet').waitFor()
  const cookies = await page.context().cookies()
  const headers = {
    origin: service.origin,
    cookie: cookies.map((cookie) => `${cookie.name}=${cookie.value}`).join('; '),
  }
  const whoami = await service.request('GET', '/v1/whoami', { headers })
  const organization = { 'x-organization-id': whoami.body.data.organizations[0].id }
  return async (method: string, path: string, body?: object) => {
    const answer = await service.request(method, path, {
      headers: { ...headers, ...organization },
      ...(body && { body }),
    })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body.data
  }
}

export type Call = Awaited<ReturnType<typeof signUpOnPage>>
