import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'
import { password } from './service.ts'

// The first run of a new account. The tests build on each other.

let secret: string

const service = provideService()
const browser = provideBrowser(() => service)

const write = (method: string, path: string, body: unknown) => service.request(method, path, { key: secret, body })

test('a new account sees the first run', async () => {
  const { page } = browser
  await page.goto('/')
  await page.getByRole('heading', { name: 'Create your account' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByLabel('Name').fill('Docs team')
  await page.getByLabel('Email').fill('docs@example.com')
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByText('Your address is not confirmed yet').waitFor()
  expect(await barriers(page)).toEqual([])
})

test('a Brain is created, and its stream opens', async () => {
  const { page } = browser
  await page.getByRole('button', { name: 'Create Brain' }).click()
  await page.getByText('Listening to handbook.').waitFor()
  expect(new URL(page.url()).search).toBe('?brain=handbook')
  expect(await barriers(page)).toEqual([])
})

test('a key of the Brain is minted in place, shown once and downloaded as .env', async () => {
  const { page } = browser
  await page.getByRole('button', { name: 'Mint key' }).click()
  secret = (await page.getByTestId('secret').textContent()) ?? ''
  expect(secret).toMatch(/^nbk_[A-Za-z0-9]{46}$/)
  expect(await barriers(page)).toEqual([])
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download .env' }).click()
  const chunks = await (await (await download).createReadStream()).toArray()
  expect(Buffer.concat(chunks).toString()).toBe(`NOEMA_BASE_URL=${service.origin}\nNOEMA_API_KEY=${secret}\n`)
  await page.getByRole('button', { name: 'I have saved it, hide it' }).click()
  expect(await page.content()).not.toContain(secret)
})

test('a write arrives as an event, which expands to its record', async () => {
  const { page } = browser
  await page.getByRole('button', { name: 'Write record' }).click()
  await page.getByText('record.accepted').waitFor()
  await page.getByText('Written', { exact: true }).waitFor()
  await page.getByText('Document', { exact: true }).click()
  await page.getByRole('button', { name: 'Write document' }).click()
  await page.getByText('document.served').waitFor()
  await page.locator('.event-head', { hasText: 'record.accepted' }).click()
  await page.getByText('"status": "planned"').waitFor()
  expect(await barriers(page)).toEqual([])
})

test('the curl of a step does the same as the step', async () => {
  const { page } = browser
  const step = page.locator('.step').nth(3)
  await step.getByText('View as code').click()
  const command = await step.getByRole('tabpanel').textContent()
  const { stdout } = await promisify(execFile)('bash', ['-c', command ?? ''], {
    env: { PATH: process.env.PATH, NOEMA_API_KEY: secret },
  })
  expect(JSON.parse(stdout).data).toMatchObject({ outcome: 'landed', document: { title: 'How we release' } })
  await step.getByRole('tab', { name: 'curl' }).focus()
  await page.keyboard.press('ArrowRight')
  expect(await step.getByRole('tabpanel').textContent()).toContain("client.brain('handbook').documents.create(")
})

test('a Brain’s page follows the stream, filters it, and counts new events while it is paused', async () => {
  const { page } = browser
  await page.getByRole('link', { name: 'handbook' }).click()
  await page.getByRole('link', { name: 'Overview', exact: true }).click()
  await page.locator('.event').nth(1).waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  for (const name of ['one', 'two'])
    await write('POST', '/v1/brains/handbook/records', { kind: 'note', fields: { name } })
  await page.getByRole('button', { name: '2 new' }).click()
  expect(await page.locator('.event').count()).toBe(4)
  expect(await barriers(page)).toEqual([])
  await page.getByText('All types', { exact: true }).click()
  expect(await barriers(page)).toEqual([])
  await page.keyboard.press('Escape')
  expect(await page.locator('.type-filter fieldset').isVisible()).toBe(false)
  await page.getByText('All types', { exact: true }).click()
  await page.getByLabel('document.served').check()
  await page.locator('.event', { hasText: 'document.served' }).waitFor()
  expect(await page.locator('.event').count()).toBe(1)
  expect(new URL(page.url()).searchParams.get('types')).toBe('document.served')
})

test('records and documents are listed, and the URL names the open one', async () => {
  const { page } = browser
  const operations = Array.from({ length: 60 }, () => ({
    op: 'record.create',
    kind: 'item',
    fields: { status: 'open' },
  }))
  await write('POST', '/v1/brains/handbook/batch', { operations })
  await page.getByRole('link', { name: 'Records', exact: true }).click()
  await page.getByRole('navigation', { name: 'Kinds' }).getByRole('link', { name: 'item' }).click()
  await page.getByRole('row').nth(2).click()
  await page.getByRole('complementary', { name: 'The open record' }).waitFor()
  expect(new URL(page.url()).searchParams.get('record')).not.toBeNull()
  await page.getByRole('link', { name: 'Documents', exact: true }).click()
  await page.getByRole('link', { name: 'How we release' }).click()
  await page.getByText('Releases go out on Tuesdays, after the whole suite has passed.').waitFor()
  expect(await barriers(page)).toEqual([])
})

test('a reloaded page uses the session instead of the key', async () => {
  const { page } = browser
  await page.goto('/brains')
  await page.getByRole('link', { name: 'handbook' }).waitFor()
  expect(await barriers(page)).toEqual([])
})

test('written content is found by a search, with the reason', async () => {
  const { page } = browser
  await page.getByRole('link', { name: 'handbook' }).click()
  await page.getByRole('link', { name: 'Playground', exact: true }).click()
  await page.getByRole('searchbox', { name: 'Search handbook' }).fill('releases on tuesdays')
  const found = page.locator('.hit', { hasText: 'How we release' }).first()
  await found.waitFor()
  expect(await found.locator('mark').allTextContents()).toContain('Tuesdays')
  await found.getByRole('link', { name: 'How we release' }).click()
  await page.getByRole('heading', { name: 'How we release' }).waitFor()
})

test('a management key is minted, shown once, and revoked after a confirmation that Escape cancels', async () => {
  const { page } = browser
  await page.goto('/keys')
  await page.getByRole('button', { name: 'New key' }).click()
  expect(await barriers(page)).toEqual([])
  await page.getByLabel('Name').fill('first-key')
  await page.getByRole('button', { name: 'Mint key' }).click()
  const minted = (await page.getByTestId('secret').textContent()) ?? ''
  expect(minted).toMatch(/^nsk_[A-Za-z0-9]{46}$/)
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'I have saved it, hide it' }).click()
  expect(await page.getByTestId('secret').count()).toBe(0)
  const revoke = page.getByRole('button', { name: 'Revoke first-key' })
  await revoke.click()
  await page.getByRole('dialog', { name: 'Revoke first-key?' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")')
  await expect.poll(focused).toBe('Revoke first-key')
  await revoke.click()
  await page.getByRole('button', { name: 'Revoke key' }).click()
  // The dialog stays open until the response, and hides the rest of the page from roles.
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await revoke.waitFor({ state: 'detached' })
  expect((await service.request('GET', '/v1/brains', { key: minted })).status).toBe(401)
})

test('no page called another host, broke its policy or threw', () => {
  expect(browser.problems).toEqual([])
})
