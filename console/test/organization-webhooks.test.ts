import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditAction } from '../../contracts/src/audit.ts'
import { mailedLink } from '../../server/src/test/app.ts'
import { type Receiver, startReceiver } from '../../server/src/test/receiver.ts'
import { auditActions } from '../src/data/audit-actions.ts'
import { barriers } from './browser.ts'
import type { Call } from './callers.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideOwnService } from './provide-service.ts'
import { signUpOnPage } from './signed-in.ts'

// A webhook of the organization with a real receiver, and its audit log entries. The tests build on each other.

let call: Call
let receiver: Receiver
let agent: string

beforeAll(async () => {
  receiver = await startReceiver({ answer: 200 })
})
afterAll(() => receiver.close())

const service = provideOwnService()
const browser = provideBrowser(
  () => service,
  async () => {
    call = await signUpOnPage(browser, service, 'ada@example.com')
    await browser.page.goto(mailedLink(service, 'ada@example.com').href)
    await browser.page.getByRole('button', { name: /^Account/ }).waitFor()
    await call('PUT', '/v1/brains/atlas', {})
    const made = await call('POST', '/v1/agents', {
      ...{ name: 'Reader', instructions: 'Answer.', model: 'noema/extractive' },
      brains: [{ handle: 'atlas', access: 'read_only' }],
    })
    agent = String(made.agent.id)
  },
)

const dialog = () => browser.page.getByRole('dialog')
const deliveries = () => browser.page.getByRole('table', { name: 'Deliveries' })
/** Runs the workers that deliver webhooks, as each node does once a second. */
const look = async () => {
  for (const { name, run } of service.app.workers) if (/outbox|deliver/.test(name)) await run()
}

test('D-66 a webhook of one agent is created, its secret is shown once, and a test shows the receiver’s response', async () => {
  const { page } = browser
  await page.goto('/settings/webhooks')
  await page.getByText('No webhook yet').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'New webhook' }).first().click()
  await dialog().getByLabel('URL').fill(receiver.url)
  await dialog().getByText('One agent').click()
  await dialog().getByLabel('Agent', { exact: true }).fill('Rea')
  await page.getByRole('option', { name: 'Reader' }).click()
  expect(await barriers(page)).toEqual([])
  await dialog().getByRole('button', { name: 'Create webhook' }).click()
  await dialog().getByTestId('secret').getByText('whsec_').waitFor()
  await dialog().getByRole('button', { name: 'I have saved it, hide it' }).click()
  await page.getByRole('table', { name: 'Webhooks' }).getByText('agent Reader').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('table', { name: 'Webhooks' }).getByRole('link').click()
  await page.getByText('No deliveries yet').waitFor()
  await page.getByRole('button', { name: 'Send a test' }).click()
  await dialog().getByText('thanks').waitFor()
  await dialog().getByRole('button', { name: 'Close' }).last().click()
})

test('D-66 a failed delivery shows its reason and next attempt, and is sent again by hand', async () => {
  const { page } = browser
  // The next attempt is not due until the test moves the clock.
  service.clock.hold()
  receiver.answers(500)
  await call('POST', '/v1/runs', { agentId: agent, input: 'When is the harbour closed?' })
  await look()
  await deliveries().getByText('retrying').first().waitFor()
  await deliveries().getByText('1 of 8').first().waitFor()
  await deliveries().getByText('retrying').first().click()
  expect(await barriers(page)).toEqual([])
  receiver.answers(200)
  await deliveries().getByRole('button', { name: 'Send again' }).click()
  await look()
  await deliveries().getByText('delivered').first().waitFor()
})

test('D-66 the webhook is changed, and a delivery is sent again with all later ones', async () => {
  const { page } = browser
  const sent = receiver.deliveries.length
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  expect(await barriers(page)).toEqual([])
  await dialog().getByText('The organization').click()
  await dialog().getByRole('button', { name: 'Save' }).click()
  await dialog().waitFor({ state: 'detached' })
  await page.getByText('the organization', { exact: true }).waitFor()
  await deliveries().getByRole('button', { name: 'From here on' }).click()
  expect(await barriers(page)).toEqual([])
  await dialog().getByRole('button', { name: 'Send again' }).click()
  await dialog().waitFor({ state: 'detached' })
  await look()
  await receiver.received(sent + 1)
})

test('D-66 its secret is rotated, and it is deleted after a confirmation', async () => {
  const { page } = browser
  await page.getByRole('button', { name: 'Rotate secret' }).click()
  await dialog().getByRole('button', { name: 'Rotate secret' }).click()
  await dialog().getByTestId('secret').waitFor()
  await dialog().getByRole('button', { name: 'I have saved it, hide it' }).click()
  await page.getByText('both sign').waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  expect(await barriers(page)).toEqual([])
  await dialog().getByRole('button', { name: 'Delete webhook' }).click()
  await page.getByText('No webhook yet').waitFor()
})

const log = () => browser.page.getByRole('table', { name: 'Audit log' })

test('AUD-02 the log is filtered by action, actor and target, and an entry expands to its changes', async () => {
  const { page } = browser
  await call('PATCH', '/v1/brains/atlas', { purpose: 'Harbours' })
  await page.goto('/settings/audit')
  await log().getByText('brain.changed').waitFor()
  await log().getByText('webhook.deleted').waitFor()
  expect(await barriers(page)).toEqual([])
  await log().getByText('brain.changed').click()
  await log().getByText('Harbours').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'All of this target' }).click()
  await log().getByText('webhook.deleted').waitFor({ state: 'detached' })
  await log().getByText('brain.created').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByRole('combobox', { name: 'Action' }).fill('webhook.rot')
  await page.getByRole('option', { name: 'webhook.rotated' }).click()
  await log().getByText('webhook.deleted').waitFor({ state: 'detached' })
  expect(new URL(page.url()).searchParams.get('action')).toBe('webhook.rotated')
  await page.getByText('View as code').click()
  await page.getByText('action=webhook.rotated').first().waitFor()
  await page.getByLabel('From', { exact: true }).fill('2001-01-01')
  await page.getByLabel('To', { exact: true }).fill('2001-01-02')
  await page.getByText('No matching entries').waitFor()
  expect(await barriers(page)).toEqual([])
})

test('the actions in the filter of the log are those of the service', () => {
  expect([...auditActions].sort()).toEqual([...auditAction.options].sort())
})

test('AUD-02 the log is exported as a file', async () => {
  const { page } = browser
  await page.goto('/settings/audit?action=webhook.deleted')
  await log().getByText('webhook.deleted').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('audit-ada.ndjson')
})

test('no page called another host, broke its policy or threw', () => {
  expect(browser.problems).toEqual([])
})
