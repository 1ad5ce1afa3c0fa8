import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import type { Call } from './callers.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'
import { signUpOnPage } from './signed-in.ts'
import { makeReviewedBrains, stageBatch } from './staged-changes.ts'

// The preview of a change, and its comments.

let call: Call
let change: string

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    call = await signUpOnPage(browser, service, 'preview@example.com')
    await makeReviewedBrains(call)
    change = await stageBatch(call)
  },
)

test('PRV-08 PRV-11 the page of a change compares answers with and without it, and takes comments', async () => {
  const { page } = browser
  await page.goto(`/brains/people/changes/${change}`)
  await page.getByText('Preview: compare answers').click()
  await page.getByLabel('Questions').fill('Who is Linus, the operator?\n\nWhen is the next meeting?')
  await page.getByRole('button', { name: 'Compare answers' }).click()
  const answer = page.getByRole('article', { name: 'Who is Linus, the operator?' })
  const entered = answer.locator('li[data-mark=entered]')
  await entered.first().waitFor()
  expect((await entered.allTextContents()).join()).toContain('Linus')
  expect(await page.locator('.preview-answer').count()).toBe(2)
  await page.getByPlaceholder('Comment for the reviewers').fill('Linus has a hidden character.')
  await page.getByRole('button', { name: 'Comment', exact: true }).click()
  await page.locator('.change-comments article', { hasText: 'Linus has a hidden character.' }).waitFor()
  expect(await barriers(page)).toEqual([])
  expect((await call('GET', `/v1/brains/people/changes/${change}`)).change.decision).toBe('pending')
})

test('GAT-03 GAT-05 the page of a change shows the required eval, and a person approves without it for a reason', async () => {
  const { page } = browser
  page.setDefaultTimeout(9_000)
  const made = await call('POST', '/v1/evals', {
    name: 'People',
    target: { brain: 'people', read: 'search', mode: 'lexical' },
    cases: [{ id: 'moon', input: 'moon landing', expected: { contains: ['Apollo'] } }],
    graders: [{ type: 'contains' }],
  })
  await call('POST', '/v1/brains/people/batch', {
    operations: [{ op: 'document.put', id: 'moon', text: 'The moon landing was by Apollo.' }],
  }).then(({ change: { id } }) => call('POST', `/v1/brains/people/changes/${id}/decide`, { decision: 'approved' }))
  await page.goto('/brains/people/settings')
  const rules = page.getByRole('region', { name: 'Writing and review', exact: true })
  await rules.getByLabel('Required eval').selectOption('People')
  await rules.getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(async () => (await call('GET', '/v1/brains/people')).brain.reviewRules.requireEval)
    .toBe(made.eval.id)
  const bad = await call('POST', '/v1/brains/people/batch', {
    operations: [{ op: 'document.put', id: 'moon', text: 'The moon landing is unknown.' }],
  })
  await page.goto(`/brains/people/changes/${bad.change.id}`)
  const part = page.getByRole('region', { name: 'Required eval' })
  await part.getByText('Now failing: moon').waitFor()
  expect(await barriers(page)).toEqual([])
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/gate.png`, fullPage: true })
  await part.getByRole('button', { name: 'Approve anyway…' }).click()
  await page.getByLabel('Reason').fill('The case is outdated.')
  await page.getByRole('button', { name: 'Approve without the eval' }).click()
  await page.getByText('Approved without the required eval').waitFor()
  const { change: decided } = await call('GET', `/v1/brains/people/changes/${bad.change.id}`)
  expect(decided).toMatchObject({ application: 'applied', eval: { override: { reason: 'The case is outdated.' } } })
})
