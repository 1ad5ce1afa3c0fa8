import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import type { Call } from './callers.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'
import { signUpOnPage } from './signed-in.ts'

// The files of an organization. The tests build on each other.

let call: Call

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    call = await signUpOnPage(browser, service, 'files@example.com')
    await call('PUT', '/v1/brains/atlas', {})
    await call('PUT', '/v1/brains/reviewed', { mode: 'review' })
  },
)

const table = () => browser.page.getByRole('table', { name: 'Files' })
const drawer = (name: string) => browser.page.getByRole('dialog', { name, exact: true })
const toFile = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
const upload = (...files: ReturnType<typeof toFile>[]) =>
  browser.page.getByLabel('Upload files').last().setInputFiles(files)

test('FIL-15 without files, the page says what belongs there and names the command', async () => {
  const { page } = browser
  await page.goto('/')
  await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Files' }).click()
  await page.getByText('No files yet').waitFor()
  await page.getByText('noema files upload q3.pdf --path reports/q3.pdf').waitFor()
  expect(await barriers(page)).toEqual([])
})

test('FIL-15 files are uploaded to the folder of the search, and the error of one does not stop the others', async () => {
  const { page } = browser
  await upload(toFile('plan.csv', 'a,b\n1,2\n'))
  await table().getByRole('link', { name: 'plan.csv' }).waitFor()
  await page.getByRole('searchbox', { name: 'Path begins with' }).fill('reports/2026/')
  await page.getByText('They go to reports/2026/').waitFor()
  await upload(toFile('q3.csv', 'month,orders\nJuly,12\n'), toFile('bad\u0001name.csv', 'x'), toFile('q4.csv', 'x\n'))
  await page.getByText('4 of 4 files').waitFor()
  await page.locator('.uploads li', { hasText: 'failed' }).getByText('A path has 1 to 500 characters').waitFor()
  const { artifacts } = await call('GET', '/v1/artifacts')
  expect(artifacts.map(({ path, contentType, source }: Record<string, string>) => [path, contentType, source])).toEqual(
    [
      ['plan.csv', 'text/csv', 'upload'],
      ['reports/2026/q3.csv', 'text/csv', 'upload'],
      ['reports/2026/q4.csv', 'text/csv', 'upload'],
    ],
  )
})

test('FIL-15 the list shows the files below a prefix, with size, type, source and sender', async () => {
  const { page } = browser
  await page.goto('/files')
  await table().getByRole('link', { name: 'reports/2026/' }).first().click()
  await expect.poll(() => table().getByRole('row').count()).toBe(3)
  expect(new URL(page.url()).searchParams.get('prefix')).toBe('reports/2026/')
  const row = table().getByRole('row', { name: /q3\.csv/ })
  const cells = await row.getByRole('cell').allTextContents()
  expect(cells.slice(0, 6).map((cell) => cell.trim())).toEqual([
    'reports/2026/q3.csv',
    '21 bytes',
    'text/csv',
    '1',
    'upload',
    'you',
  ])
  expect(await barriers(page)).toEqual([])
  await page.getByRole('searchbox', { name: 'Path begins with' }).fill('reports/2027/')
  await page.getByText('No path begins with reports/2027/').waitFor()
})

test('FIL-15 a file is downloaded byte for byte under its name', async () => {
  const { page } = browser
  await page.goto('/files?prefix=reports/')
  await table().getByRole('link', { name: 'q3.csv' }).click()
  await drawer('q3.csv').getByText('a0e0150da73513a298f06f9e8bdd5add3c15f8ebeb2cf20d9288ded9dc0621cc').waitFor()
  expect(await barriers(page)).toEqual([])
  const downloading = page.waitForEvent('download')
  await drawer('q3.csv').getByRole('button', { name: 'Download' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('q3.csv')
  expect(await readFile(await download.path(), 'utf8')).toBe('month,orders\nJuly,12\n')
})

test('FIL-15 a link is made for a chosen time, and downloads the file without a session', async () => {
  const { page } = browser
  await drawer('q3.csv').getByRole('button', { name: 'Create a link' }).click()
  const dialog = drawer('Link to q3.csv')
  await dialog.getByLabel('Works for').selectOption('3600')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const url = await dialog.getByTestId('link').textContent()
  await dialog.getByRole('button', { name: 'Copy the link' }).click()
  await dialog.getByRole('button', { name: 'Copied the link' }).waitFor()
  expect(await barriers(page)).toEqual([])
  const answer = await fetch(String(url))
  expect([answer.status, await answer.text()]).toEqual([200, 'month,orders\nJuly,12\n'])
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
})

const add = async (handle: string) => {
  await drawer('q3.csv').getByRole('button', { name: 'Add to a Brain' }).click()
  const dialog = drawer('Add q3.csv to a Brain')
  await dialog.getByLabel('Brain').selectOption(handle)
  await dialog.getByRole('button', { name: 'Add document' }).click()
  return dialog
}

test('FIL-15 a file is added to a Brain in review mode, and waits for a decision', async () => {
  const { page } = browser
  const dialog = await add('reviewed')
  await dialog.getByText('The document waits for review.').waitFor()
  expect(await barriers(page)).toEqual([])
  const { changes } = await call('GET', '/v1/changes')
  const href = await dialog.getByRole('link', { name: 'Open the change' }).getAttribute('href')
  expect(href).toBe(`/brains/reviewed/changes/${changes[0].id}`)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
})

test('FIL-15 a file is added to a Brain, and its document links to the file until it is deleted', async () => {
  const { page } = browser
  await add('atlas')
  await page.waitForURL('**/brains/atlas/documents/**')
  await page.getByRole('link', { name: 'reports/2026/q3.csv' }).click()
  await page.waitForURL('**/files?file=*')
  await drawer('q3.csv').getByRole('button', { name: 'Delete', exact: true }).click()
  const question = drawer('Delete q3.csv?')
  await question.getByText('Documents that were made from it stay').waitFor()
  await question.getByRole('button', { name: 'Delete file' }).click()
  await expect.poll(() => new URL(page.url()).searchParams.has('file')).toBe(false)
  await table().getByRole('link', { name: 'plan.csv' }).waitFor()
  await expect.poll(() => table().getByRole('link', { name: 'q3.csv' }).count()).toBe(0)
  expect((await call('GET', '/v1/artifacts')).artifacts).toHaveLength(2)
  await page.goto('/brains/atlas/documents/reports%2F2026%2Fq3.csv')
  await page.getByText('(deleted since)').waitFor()
  expect(await page.getByRole('link', { name: 'reports/2026/q3.csv' }).count()).toBe(0)
  expect(browser.problems).toEqual([])
})
