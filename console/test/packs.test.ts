import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import { type Call, createCaller } from './callers.ts'
import { signUp } from './member.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'

// The packs of the service: their contents, the plan of an install, and its result.

let call: Call

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    call = createCaller(service, await signUp(service, browser, 'packs@example.com'))
  },
)

/** The service's refusal of a person who lacks the right. */
const refuse = (message: string) => ({
  status: 403,
  json: { error: { kind: 'forbidden', message } },
})

test('without access to the audit log, the page names who can see installs; without access to packs, it shows the refusal', async () => {
  const { page } = browser
  await page.route('**/v1/audit?*', (route) => route.fulfill(refuse('Owners and admins alone.')))
  await page.goto('/packs')
  await page.getByText('Owners and admins can see where it is installed.').first().waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await page.route('**/v1/packs', (route) => route.fulfill(refuse('This needs another right.')))
  await page.reload()
  const failure = page.getByRole('alert')
  await failure.getByText('This needs another right.').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.unrouteAll({ behavior: 'wait' })
  await failure.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('region', { name: 'People and conversations' }).waitFor()
})

test('a pack lists its contents and its plan, is installed, and links to the installed items', async () => {
  const { page } = browser
  await call('PUT', '/v1/brains/team', {})
  await page.goto('/packs')
  const pack = page.getByRole('region', { name: 'People and conversations' })
  await pack.getByText('Not installed yet.').waitFor()
  expect(await barriers(page)).toEqual([])
  await pack.getByRole('button', { name: 'Install' }).click()
  const dialog = page.getByRole('dialog')
  const plan = dialog.getByRole('region', { name: 'Plan' })
  await plan.getByText('Creates the Brain people-and-conversations in review mode.').waitFor()
  await dialog.getByText('An existing Brain').click()
  await dialog.getByRole('button', { name: 'Install' }).click()
  await dialog.locator('.field-error').getByText('Choose a Brain.').waitFor()
  await dialog.getByLabel('Brain', { exact: true }).fill('te')
  await page.getByRole('option', { name: 'team' }).click()
  await plan.getByText('which wait for review').waitFor()
  await dialog.getByLabel('Model of its agents').fill('nobody/none')
  expect(await barriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Install' }).click()
  await dialog.locator('.notice.danger, .field-error').getByText('This organization has no provider').first().waitFor()
  await dialog.getByLabel('Model of its agents').fill('')
  await dialog.getByRole('button', { name: 'Install' }).click()
  const done = page.getByRole('dialog', { name: 'Installed People and conversations' })
  await done.getByText('made').first().waitFor()
  await done.getByText('waits for review').first().waitFor()
  expect(await barriers(page)).toEqual([])
  await done.getByRole('button', { name: 'Done' }).click()
  await pack.getByRole('link', { name: 'team' }).waitFor()

  await pack.getByRole('button', { name: 'Install' }).click()
  await dialog.getByLabel('Handle of the Brain').fill('team')
  await dialog.getByText('This Brain exists').waitFor()
  await dialog.getByRole('button', { name: 'Install' }).click()
  await done.getByText('was there').first().waitFor()
  expect(await done.getByText('made').count()).toBe(0)
  await done.getByRole('link', { name: 'its kinds' }).click()
  await page.waitForURL('**/brains/team/changes/*')
  await page.goto('/automations')
  await page.getByRole('table', { name: 'Triggers' }).getByRole('link').first().click()
  await page.waitForURL('**/automations/triggers/trg_*')
  expect(browser.problems).toEqual([])
})

test('PCK-09 a pack of the organization shows its version and skills, and its install asks for the parameters', async () => {
  const { page } = browser
  await call('PUT', '/v1/packs/desk', {
    ...{ title: 'Desk', description: 'Questions.', purpose: 'What {{team}} knows.' },
    parameters: [
      { name: 'team', type: 'text', title: 'Team', description: 'Who answers.' },
      { name: 'tone', type: 'choice', title: 'Tone', values: ['formal', 'plain'], default: 'plain' },
      { name: 'days', type: 'number', title: 'Days', default: 30 },
      { name: 'strict', type: 'boolean', title: 'Strict' },
    ],
    kinds: [{ kind: 'question', description: 'A question' }],
    skills: [{ name: 'tone', files: [{ path: 'SKILL.md', text: '---\nname: tone\ndescription: d\n---\n' }] }],
  })
  await page.goto('/packs')
  const pack = page.getByRole('region', { name: 'Desk' })
  await pack.getByText('version 1 of this organization').waitFor()
  await pack.getByRole('button', { name: 'Install' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Proposes the skill tone, which waits for review.').waitFor()
  expect(await barriers(page)).toEqual([])
  await dialog.getByLabel('Team').fill('Operations')
  await dialog.getByLabel('Tone').selectOption('formal')
  await dialog.getByLabel('Days').fill('7')
  await dialog.getByRole('button', { name: 'Install' }).click()
  await page.getByRole('dialog', { name: 'Installed Desk' }).waitFor()
  const { brain } = await call('GET', '/v1/brains/desk')
  expect(brain.purpose).toBe('What Operations knows.')
})

test('PCK-16 an install shows the rubrics and evals that it makes, by the values of the parameters, and links to them', async () => {
  const { page } = browser
  await call('PUT', '/v1/packs/counter', {
    ...{ title: 'Counter of {{team}}', description: 'Answers for {{team}}.', purpose: 'Rules.' },
    parameters: [{ name: 'team', type: 'text', title: 'Team' }],
    agents: [
      ...[{ name: 'Clerk of {{team}}', description: 'Answers.', access: 'read_only', instructions: 'Answer.' }],
      ...[{ name: 'Judge of {{team}}', description: 'Judges.', access: 'none', instructions: 'Judge.' }],
    ],
    rubrics: [{ name: 'names-the-rule', criteria: [{ id: 'rule', text: 'It names the rule of {{team}}.' }] }],
    evals: [
      {
        ...{ name: 'Answers of {{team}}', target: { agent: 'Clerk of {{team}}' } },
        cases: [{ id: 'who', input: 'Who answers?', expected: '{{team}}' }],
        graders: [{ type: 'rubric', rubric: 'names-the-rule', judge: 'Judge of {{team}}' }],
      },
    ],
  })
  await page.goto('/packs')
  const pack = page.getByRole('region', { name: 'Counter of [Team]' })
  await pack.getByText('Answers of [Team]').waitFor()
  await pack.getByRole('button', { name: 'Install' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Team', { exact: true }).fill('Billing')
  for (const made of [
    'the agents Clerk of Billing, Judge of Billing',
    'the rubric names-the-rule',
    'the eval Answers of Billing',
  ])
    await dialog.getByText(`Creates ${made} at once.`).waitFor()
  expect(await barriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Install' }).click()
  const done = page.getByRole('dialog', { name: 'Installed Counter of Billing' })
  await done.getByRole('link', { name: 'Answers of Billing' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await done.getByRole('link', { name: 'names-the-rule' }).click()
  await page.getByRole('heading', { name: 'names-the-rule' }).waitFor()
  await page.getByText('It names the rule of Billing.').waitFor()
  await page.getByRole('link', { name: 'Answers of Billing' }).click()
  await page.getByRole('heading', { name: 'Answers of Billing' }).waitFor()
  await page.getByText('Clerk of Billing').waitFor()
})
