import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import type { Call } from './callers.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'
import { signUpOnPage } from './signed-in.ts'

// The skills of a Brain, and of an agent. The tests build on each other.

let call: Call

const main = `---
name: refunds
description: Decide about refunds. Use it when a customer wants money back.
license: MIT
metadata:
  author: Ada
---

# Refunds

1. Read [the limits](references/limits.md).
2. Answer within a day.
`

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    call = await signUpOnPage(browser, service, 'skills@example.com')
    await call('PUT', '/v1/brains/desk', {})
  },
)

test('SKL-40 a Brain without skills says how to push one, and its skills are listed with their problems', async () => {
  const { page } = browser
  await page.goto('/brains/desk/documents')
  await page.getByRole('link', { name: 'Skills', exact: true }).click()
  await page.getByText('No skills yet').waitFor()
  expect(await barriers(page)).toEqual([])
  const files = [
    { path: 'SKILL.md', text: main },
    { path: 'references/limits.md', text: '## Limits\n\nUp to **100 euros** without asking.\n' },
    { path: 'scripts/check.py', text: 'print("checked")\n' },
  ]
  await call('PUT', '/v1/brains/desk/skills/refunds', { files })
  await call('POST', '/v1/brains/desk/documents', { id: 'skills/broken/SKILL.md', text: 'No frontmatter.' })
  const table = page.getByRole('table', { name: 'Skills' })
  await table.getByText('Decide about refunds.').waitFor()
  await table.getByText('not used').waitFor()
  expect(await barriers(page)).toEqual([])
})

test('SKL-40 a skill shows its facts and its files rendered, and leads to their documents', async () => {
  const { page } = browser
  await page.getByRole('link', { name: 'refunds', exact: true }).click()
  await page.getByRole('heading', { name: 'Refunds', exact: true }).waitFor()
  await page.getByText('MIT', { exact: true }).waitFor()
  expect(await page.getByText('description: Decide').count()).toBe(0)
  expect(await barriers(page)).toEqual([])
  const files = page.getByRole('navigation', { name: 'Files of the skill' })
  // Links in texts open a tab of their own.
  const address = await page.getByRole('link', { name: 'the limits' }).getAttribute('href')
  expect(address).toBe('?skill=refunds&file=references%2Flimits.md')
  await page.goto(`/brains/desk/documents${address}`)
  await page.getByRole('heading', { name: 'Limits' }).waitFor()
  expect(await files.getByRole('link', { name: 'references/limits.md' }).getAttribute('aria-current')).toBe('page')
  await files.getByRole('link', { name: 'scripts/check.py' }).click()
  await page.getByText('print("checked")').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('link', { name: 'Versions and editing' }).click()
  await page.waitForURL('**/documents/skills%2Frefunds%2Fscripts%2Fcheck.py')
  await page.goto('/brains/desk/documents?skill=broken')
  await page.getByText('Agents do not get this skill.').waitFor()
  await page.goto('/brains/desk/documents?skill=none')
  await page.getByText('There is no skill').waitFor()
})

test('SKL-41 an agent gets skills in its dialog and shows them on its page', async () => {
  const { page } = browser
  const { agent } = await call('POST', '/v1/agents', { name: 'Desk', instructions: 'Help.', model: 'noema/extractive' })
  await page.goto(`/agents/${agent.id}`)
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  const form = page.getByRole('dialog', { name: 'Edit Desk', exact: true })
  await form.getByRole('group', { name: 'Skills that it may load' }).waitFor()
  await form.getByRole('checkbox', { name: 'desk/refunds' }).check()
  expect(await barriers(page)).toEqual([])
  await form.getByRole('button', { name: 'Save as a new version' }).click()
  await page.getByRole('link', { name: 'desk/refunds' }).waitFor()
  const saved = (await call('GET', `/v1/agents/${agent.id}`)).agent
  expect(saved).toMatchObject({ version: 2, skills: [{ brain: 'desk', name: 'refunds' }] })
})
