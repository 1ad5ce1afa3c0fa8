import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import { type Call, createBrainCaller } from './callers.ts'
import { signUp } from './member.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'

// The settings of a Brain: description, rules, hold, export, import, deletion. The tests build on each other.

let call: Call
let headers: Record<string, string>

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    headers = await signUp(service, browser, 'settings@example.com')
    for (const handle of ['atlas', 'copy']) await service.request('PUT', `/v1/brains/${handle}`, { headers, body: {} })
    call = createBrainCaller(service, headers, 'atlas')
    for (const id of ['ada', 'bo', 'chen'])
      await call('PUT', `/records/${id}`, { kind: 'person', fields: { name: id } })
    await call('POST', '/keys', { name: 'support-agent', capabilities: ['read'] })
    // A test cannot answer the browser's file picker.
    await browser.page.addInitScript('delete window.showSaveFilePicker')
  },
)

const dialog = () => browser.page.getByRole('dialog')
const panel = (name: string) => browser.page.getByRole('region', { name, exact: true })
const tray = () => browser.page.getByRole('region', { name: 'In progress' })
const readBrain = async (handle = 'atlas') =>
  (await service.request('GET', `/v1/brains/${handle}`, { headers })).body.data?.brain

test('the name, the purpose, the mode and every review rule are shown and changed', async () => {
  const { page } = browser
  await page.goto('/brains/atlas/settings')
  await panel('Description').getByLabel('Purpose').fill('What we know of the coast')
  await panel('Description').getByLabel('Name').fill('Atlas of the coast')
  await panel('Description').getByRole('button', { name: 'Save' }).click()
  await page.getByText('What we know of the coast').first().waitFor()
  const rules = panel('Writing and review')
  await rules.getByRole('radio', { name: /^review/ }).check()
  await rules.getByText('New writes will wait for review').waitFor()
  await rules.getByRole('radio', { name: /^direct/ }).check()
  for (const words of ['Deleting a record', 'Retracting a statement', 'Someone other than the author'])
    await rules.getByRole('checkbox', { name: words }).check()
  await rules.getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(() => readBrain())
    .toMatchObject({
      ...{ name: 'Atlas of the coast', purpose: 'What we know of the coast', mode: 'direct' },
      reviewRules: { always: ['record.delete', 'statement.retract'], requireOtherReviewer: true },
    })
  expect(await barriers(page)).toEqual([])
})

test('a hold is placed with a reason, names its author, prevents the deletion of the Brain, and is released', async () => {
  const { page } = browser
  await panel('Hold').getByRole('button', { name: 'Place a hold' }).click()
  await dialog().getByLabel('Reason').fill('An audit until Friday')
  expect(await barriers(page)).toEqual([])
  await dialog().getByRole('button', { name: 'Place hold' }).click()
  await panel('Hold').getByText('An audit until Friday').waitFor()
  await panel('Hold').getByText('you', { exact: true }).waitFor()
  expect(await panel('Delete').getByRole('button', { name: 'Delete this Brain' }).isDisabled()).toBe(true)
  expect((await readBrain()).availability).toBe('held')
  expect(await barriers(page)).toEqual([])
  await panel('Hold').getByRole('button', { name: 'Release' }).click()
  await dialog().getByRole('button', { name: 'Release' }).click()
  await panel('Hold').getByRole('button', { name: 'Place a hold' }).waitFor()
})

let exported = ''

test('an export continues while another page is open, and its file is complete', async () => {
  const { page } = browser
  const downloading = page.waitForEvent('download')
  await panel('Export').getByRole('button', { name: 'Export' }).click()
  await page.getByRole('navigation', { name: 'Of this Brain' }).getByRole('link', { name: 'Records' }).click()
  const download = await downloading
  await tray().getByText('lines, complete').waitFor()
  expect(download.suggestedFilename()).toMatch(/^atlas-\d{4}-\d\d-\d\d\.ndjson$/)
  exported = await readFile(await download.path(), 'utf8')
  const lines = exported
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.at(0)).toHaveProperty('header')
  expect(lines.at(-1)).toMatchObject({ trailer: { records: 3 } })
  await tray().getByRole('button', { name: 'Dismiss' }).click()
})

test('a truncated export saves no file and says so', async () => {
  const { page } = browser
  await page.goto('/brains/atlas/settings')
  const [whole, cut] = [exported.length, exported.slice(0, exported.length / 2)]
  expect(cut.length).toBeLessThan(whole)
  await page.route('**/export*', (route) => route.fulfill({ contentType: 'application/x-ndjson', body: cut }))
  await panel('Export').getByRole('button', { name: 'Export' }).click()
  await tray().getByText('The export stopped before its last line. No file was saved.').waitFor()
  await page.unrouteAll({ behavior: 'wait' })
})

const file = (text: string) => ({ name: 'atlas.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from(text) })

test('a file is imported into an empty Brain; a refused line is shown with the reason', async () => {
  const { page } = browser
  await page.goto('/brains/atlas/settings')
  await panel('Import').getByText('this Brain has content').waitFor()
  await page.goto('/brains/copy/settings')
  const lines = exported.trimEnd().split('\n')
  const place = lines.findIndex((line) => line.startsWith('{"record"'))
  const broken = lines.with(place, (lines[place] ?? '').replace('"kind":"person"', '"kind":7')).join('\n')
  await panel('Import').getByLabel('Choose a file').setInputFiles(file(broken))
  await panel('Import')
    .getByText(`Line ${place + 1} of the file`)
    .waitFor()
  await panel('Import').getByText('Nothing was imported.').waitFor()
  await panel('Import').getByText('"kind":7').waitFor()
  expect(await barriers(page)).toEqual([])
  await panel('Import').getByLabel('Choose a file').setInputFiles(file(exported))
  await panel('Import')
    .getByText(/3 records/)
    .waitFor()
  await tray()
    .getByText(/3 records/)
    .waitFor()
  expect((await readBrain('copy')).counts.records).toBe(3)
  expect(await barriers(page)).toEqual([])
})

test('a Brain is deleted after its handle is typed, and its contents are listed before', async () => {
  const { page } = browser
  await page.goto('/brains/atlas/settings')
  await panel('Delete').getByRole('button', { name: 'Delete this Brain' }).click()
  await dialog().getByText('3 records').waitFor()
  await dialog().getByText('support-agent').waitFor()
  const confirm = dialog().getByRole('button', { name: 'Delete Brain' })
  expect(await confirm.isDisabled()).toBe(true)
  await dialog().getByLabel('Type atlas to confirm').fill('atlas')
  expect(await barriers(page)).toEqual([])
  await confirm.click()
  await page.getByText('atlas deleted').waitFor()
  await page.getByRole('link', { name: 'copy' }).waitFor()
  expect(await page.getByRole('table').getByRole('link', { name: 'atlas' }).count()).toBe(0)
  expect((await service.request('GET', '/v1/brains/atlas', { headers })).status).toBe(404)
  expect(browser.problems).toEqual([])
})
