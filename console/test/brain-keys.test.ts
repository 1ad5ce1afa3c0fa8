import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import { signUp } from './member.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideOwnService } from './provide-service.ts'

// The keys of a Brain: minted, used, rotated, revoked. The tests build on each other.

let headers: Awaited<ReturnType<typeof signUp>>

const service = provideOwnService()
const browser = provideBrowser(
  () => service,
  async () => {
    headers = await signUp(service, browser, 'keys@example.com')
    await service.request('PUT', '/v1/brains/atlas', { headers, body: {} })
  },
)

const secrets: string[] = []
const dialog = () => browser.page.getByRole('dialog')
const row = () => browser.page.getByRole('table', { name: 'Keys' }).getByRole('row', { name: /support-agent/ })
const read = async (key: string) => (await service.request('GET', '/v1/brains/atlas/records', { key })).status

const takeSecret = async () => {
  const secret = (await dialog().getByTestId('secret').textContent()) ?? ''
  secrets.push(secret.trim())
  return secret.trim()
}

const openActs = async () => {
  await row().getByRole('button', { name: 'Actions for support-agent' }).click()
}

test('a Brain key is minted with described capabilities, and its secret is shown once', async () => {
  const { page } = browser
  await page.goto('/brains/atlas/keys')
  await page.getByText('No key works').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'New key' }).first().click()
  await dialog().getByLabel('Name').fill('support-agent')
  await dialog()
    .getByRole('checkbox', { name: /^review Read pending changes/ })
    .check()
  expect(await barriers(page)).toEqual([])
  await dialog().getByRole('button', { name: 'Mint key' }).click()
  const secret = await takeSecret()
  expect(await barriers(page)).toEqual([])
  expect(await read(secret)).toBe(200)
  await dialog().getByRole('button', { name: 'I have saved it, hide it' }).click()
  await row().getByText('review').waitFor()
  expect(await page.getByText(secret).count()).toBe(0)
  expect(await barriers(page)).toEqual([])
})

test('a rotated key works during a countdown, and expires after it', async () => {
  const { page } = browser
  const [old = ''] = secrets
  await openActs()
  await page.getByRole('menuitem', { name: 'Rotate' }).click()
  // The old secret must not expire during the checks of the page.
  service.clock.hold()
  await dialog().getByRole('button', { name: 'Rotate key' }).click()
  const secret = await takeSecret()
  expect(secret).not.toBe(old)
  await dialog()
    .getByRole('timer')
    .getByText(/^0:\d\d$|^1:00$/)
    .waitFor()
  expect(await barriers(page)).toEqual([])
  expect([await read(old), await read(secret)]).toEqual([200, 200])
  await dialog().getByRole('button', { name: 'I have saved it, hide it' }).click()
  await page.locator('[data-status=ending]').waitFor()
  service.clock.advance({ seconds: 61 })
  expect([await read(old), await read(secret)]).toEqual([401, 200])
  await page.reload()
  await page.locator('[data-status=active]').first().waitFor()
  expect(await page.locator('[data-status=ending]').count()).toBe(0)
})

test('a key is revoked at once, and inactive keys are listed on request', async () => {
  const { page } = browser
  await openActs()
  await page.getByRole('menuitem', { name: 'Revoke' }).click()
  expect(await barriers(page)).toEqual([])
  await dialog().getByRole('button', { name: 'Revoke key' }).click()
  await page.getByText('No key works').waitFor()
  expect(await read(secrets[1] ?? '')).toBe(401)
  await page.getByText('All', { exact: true }).click()
  await page.locator('[data-status=revoked]').waitFor()
  await page.locator('[data-status=replaced]').waitFor()
  expect(browser.problems).toEqual([])
})

test('the page Connect shows the step for each client, and which of them used the Brain', async () => {
  const { page } = browser
  const mint = { headers, body: { name: 'MCP: Cursor', capabilities: ['read'] } }
  const minted = await service.request('POST', '/v1/brains/atlas/keys', mint)
  await page.goto('/brains/atlas/connect')
  const cursor = page.getByRole('region', { name: 'Cursor' })
  await cursor.getByText('Not connected yet').waitFor()
  expect(await cursor.getByRole('link').getAttribute('href')).toMatch(/^cursor:/)
  const claude = page.getByRole('region', { name: 'Claude Code' })
  await claude.getByText(`claude mcp add --scope user --transport http noema-atlas ${service.origin}/v1/`).waitFor()
  expect(await barriers(page)).toEqual([])
  expect(await read(minted.body.data.secret)).toBe(200)
  await service.app.workers.find(({ name }) => name === 'note the use of keys')?.run()
  await page.reload()
  await cursor.getByText('Connected, last used').waitFor()
  await claude.getByText('Not connected yet').waitFor()
})
