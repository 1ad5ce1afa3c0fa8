import { expect, test } from 'vitest'
import { signUp } from './member.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'

// The documentation that the service serves, in a browser, with the policy of its pages.

let key: string

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    const headers = await signUp(service, browser, 'reader@example.com')
    key = (await service.request('POST', '/v1/keys', { headers, body: { name: 'reference' } })).body.data.secret
  },
)

test('D-81 the reference opens, shows an operation, and makes a call with a key, from this origin alone', async () => {
  const { page, problems } = browser
  await page.goto('/docs')
  await page.getByRole('link', { name: 'Brains', exact: true }).waitFor({ timeout: 90_000 })
  await page.getByRole('button', { name: 'Authorize' }).first().click()
  await page.getByLabel('auth-bearer-value').fill(key)
  await page.getByRole('button', { name: 'Apply credentials' }).first().click()
  await page.getByRole('button', { name: 'Close' }).first().click()
  await page.getByRole('link', { name: 'Management keys', exact: true }).click()
  await page.locator('#operations-Management_keys-whoami .opblock-summary-control').click()
  await page.getByRole('button', { name: 'Execute' }).click()
  const answer = page.locator('#operations-Management_keys-whoami .live-responses-table')
  await expect.poll(() => answer.textContent()).toContain('"management"')
  expect(problems).toEqual([])
})

test('D-81 the reference and the guides are light or dark, as the browser prefers', async () => {
  const { page, problems } = browser
  const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
  for (const path of ['/docs', '/docs/guides', '/docs/guides/webhooks']) {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(path)
    expect(await ground()).toBe('rgb(255, 255, 255)')
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(ground).toBe('rgb(22, 24, 28)')
  }
  await page.goto('/docs')
  await expect.poll(() => page.evaluate('document.documentElement.className')).toBe('dark-mode')
  expect(problems).toEqual([])
})
