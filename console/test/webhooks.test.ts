import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../../server/src/test/receiver.ts'
import { barriers } from './browser.ts'
import { type Call, createBrainCaller } from './callers.ts'
import { signUp } from './member.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideOwnService } from './provide-service.ts'

// A webhook of a Brain with a real receiver: it fails, an event is skipped, and it is sent again. The tests build on each other.

let call: Call
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver({ answer: 200 })
})
afterAll(() => receiver.close())

const service = provideOwnService()
const browser = provideBrowser(
  () => service,
  async () => {
    const headers = await signUp(service, browser, 'webhooks@example.com')
    await service.request('PUT', '/v1/brains/atlas', { headers, body: {} })
    call = createBrainCaller(service, headers, 'atlas')
  },
)

const dialog = () => browser.page.getByRole('dialog')
const deliveries = () => browser.page.getByRole('table', { name: 'Deliveries' })
const write = (id: string) => call('PUT', `/records/${id}`, { kind: 'person', fields: { name: id } })
/** Runs the worker that delivers webhooks, as each node does once a second. */
const look = () => service.app.workers.find(({ name }) => name === 'deliver to webhooks')?.run()
const status = (state: string) => browser.page.locator(`.page-header-badges [data-status=${state}]`)

test('a webhook is created on the page, its secret is shown once, and a test shows the receiver’s response', async () => {
  const { page } = browser
  await page.goto('/brains/atlas/webhooks')
  await page.getByText('No webhook yet').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'New webhook' }).first().click()
  await dialog().getByLabel('URL').fill(receiver.url)
  await dialog().getByLabel('record.accepted').check()
  expect(await barriers(page)).toEqual([])
  await dialog().getByRole('button', { name: 'Create webhook' }).click()
  await dialog().getByTestId('secret').getByText('whsec_').waitFor()
  await dialog().getByRole('button', { name: 'I have saved it, hide it' }).click()
  await page.getByRole('table', { name: 'Webhooks' }).getByRole('link').click()
  await status('healthy').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Send a test' }).click()
  await dialog().getByText('thanks').waitFor()
  expect(receiver.deliveries[0]?.body.event.type).toBe('webhook.test')
  expect(await barriers(page)).toEqual([])
  await dialog().getByRole('button', { name: 'Close' }).last().click()
})

test('a refused event is retried with a countdown, and then skipped with the reason', async () => {
  const { page } = browser
  receiver.answers(500)
  await write('ada')
  await page.getByText('The next event is being tried again').waitFor()
  await status('retrying').waitFor()
  await deliveries().getByText('1 of 3').waitFor()
  for (const attempt of [2, 3]) {
    service.clock.advance({ seconds: 100 })
    await look()
    await deliveries().getByText(`${attempt} of 3`).waitFor()
  }
  await page.getByText('An event was skipped').waitFor()
  await status('skipped').waitFor()
  await page.getByText('Skipped', { exact: true }).click()
  await deliveries()
    .getByRole('row', { name: /record.accepted skipped/ })
    .waitFor()
  expect(await deliveries().locator('[data-row]').count()).toBe(1)
  expect(await barriers(page)).toEqual([])
  await page.goto('/brains/atlas')
  await page.getByRole('region', { name: 'Webhooks' }).locator('[data-status=skipped]').waitFor()
  await page.getByRole('region', { name: 'Webhooks' }).getByRole('link').click()
})

test('a skipped event is sent again, and arrives', async () => {
  const { page } = browser
  receiver.answers(200)
  const before = receiver.deliveries.length
  const skipped = receiver.deliveries.at(-1)?.body.event.cursor
  await page.getByRole('button', { name: 'Send again' }).click()
  await receiver.received(before + 1)
  expect(receiver.deliveries[before]?.body.event.cursor).toBe(skipped)
  await status('healthy').waitFor()
  await deliveries()
    .getByRole('row', { name: /record.accepted delivered/ })
    .click()
  await page.getByRole('button', { name: 'Send again from here' }).click()
  await receiver.received(before + 2)
  expect(await barriers(page)).toEqual([])
})

test('a webhook is paused, gets another URL, is moved, gets a new secret, and is deleted', async () => {
  const { page } = browser
  const before = receiver.deliveries.length
  await page.getByRole('button', { name: 'Pause' }).click()
  await status('paused').waitFor()
  await write('bo')
  await page.getByRole('button', { name: 'Change' }).click()
  await dialog().getByLabel('URL').fill(`${receiver.url}/other`)
  await dialog().getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: `${receiver.url}/other` }).waitFor()
  expect(receiver.deliveries.length).toBe(before)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Rewind' }).click()
  await dialog()
    .getByRole('radio', { name: /^At the first event/ })
    .check()
  expect(await barriers(page)).toEqual([])
  await dialog().getByRole('button', { name: 'Rewind', exact: true }).click()
  await dialog().waitFor({ state: 'detached' })
  const more = page.getByRole('button', { name: 'More actions' })
  const place = await more.boundingBox()
  await page.getByRole('button', { name: 'Resume' }).click()
  await receiver.received(before + 2)
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  expect(await more.boundingBox()).toEqual(place)
  expect(receiver.deliveries.at(-1)).toMatchObject({ path: '/hook/other' })
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Rotate secret' }).click()
  await dialog().getByRole('button', { name: 'Rotate secret' }).click()
  await dialog().getByTestId('secret').getByText('whsec_').waitFor()
  await dialog().getByRole('button', { name: 'I have saved it, hide it' }).click()
  await page.getByText('both sign').waitFor()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await dialog().getByRole('button', { name: 'Delete webhook' }).click()
  await page.getByText('No webhook yet').waitFor()
  expect(browser.problems).toEqual([])
})
