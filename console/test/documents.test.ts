import { expect, test } from 'vitest'
import { barriers } from './browser.ts'
import { type Call, createBrainCaller } from './callers.ts'
import { writeKnowledge } from './knowledge.ts'
import { signUp } from './member.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'

// Documents, their versions, and snapshots of their sources. The tests build on each other.

let call: Call

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    const headers = await signUp(service, browser, 'documents@example.com')
    await service.request('PUT', '/v1/brains/atlas', { headers, body: {} })
    call = createBrainCaller(service, headers, 'atlas')
    await writeKnowledge(call)
  },
)

const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
const documents = () => browser.page.getByRole('table', { name: 'Documents' })

test('uploaded files become documents, and each shows its state', async () => {
  const { page } = browser
  await page.goto('/brains/atlas/documents')
  await documents().getByRole('link', { name: 'On call', exact: true }).waitFor()
  expect(await barriers(page)).toEqual([])
  await page
    .getByLabel('Upload files')
    .last()
    .setInputFiles([
      file('plan.md', '# The plan\n\nWe begin in May.'),
      file('picture.png', '\u0000\u0001'),
      file('empty.txt', ''),
    ])
  await page.getByText('3 of 3 files').waitFor()
  const lines = await page.locator('.uploads li').allTextContents()
  expect(lines).toEqual([
    'writtenplan.mdversion 1',
    'failedpicture.pngThis file is not text. Documents are texts such as Markdown: convert it first.',
    'failedempty.txtThis file is empty.',
  ])
  await documents().getByRole('link', { name: 'The plan' }).waitFor()
  expect(await barriers(page)).toEqual([])
})

test('a file of the same name becomes the next version, and the versions are compared', async () => {
  const { page } = browser
  await page
    .getByLabel('Upload files')
    .last()
    .setInputFiles([file('plan.md', '# The plan\n\nWe begin in June.')])
  await page.getByText('version 2').waitFor()
  await documents().getByRole('link', { name: 'The plan' }).click()
  await page.getByText('We begin in June.').waitFor()
  await page.getByRole('tab', { name: 'Versions' }).click()
  await page.locator('.comparison del').waitFor()
  expect(await page.locator('.comparison').locator('del, ins').allTextContents()).toEqual(['May', 'June'])
  expect(await barriers(page)).toEqual([])
  await page.getByRole('region', { name: 'Versions' }).getByRole('link', { name: '1', exact: true }).click()
  await page.getByText('It has changed since').waitFor()
})

test('Markdown is rendered below the headings of the page: no HTML in it runs, and no picture is loaded from elsewhere', async () => {
  const { page } = browser
  const text = [
    '# Harbor',
    'It has **two** piers.',
    '',
    '| Pier | Depth |',
    '| --- | --- |',
    '| 1 | 9 m |',
    '',
    '<img src=x onerror="document.title=1"><script>document.title = 2</script>',
    '![a map](https://pictures.example/map.png)',
    '[run](javascript:alert(1))',
  ].join('\n')
  await call('POST', '/documents', { id: 'harbor', title: 'Harbor', text, contentType: 'text/markdown' })
  const foreign: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(service.base)) foreign.push(request.url())
  })
  await page.goto('/brains/atlas/documents/harbor')
  const shown = page.locator('.markdown')
  await shown.getByText('two', { exact: true }).waitFor()
  expect(await shown.locator('strong').allTextContents()).toEqual(['two'])
  expect(await shown.locator('h1, h2, h3').allTextContents()).toEqual(['Harbor'])
  expect(await shown.locator('td').allTextContents()).toEqual(['1', '9 m'])
  expect(await shown.locator('img, script').count()).toBe(0)
  const link = shown.getByRole('link', { name: 'a map' })
  expect(await link.getAttribute('href')).toBe('https://pictures.example/map.png')
  expect(await link.getAttribute('rel')).toContain('noopener')
  expect(await shown.locator('a[href^="javascript"]').count()).toBe(0)
  expect(await barriers(page)).toEqual([])
  await page.getByRole('tab', { name: 'Source' }).click()
  await page.locator('pre', { hasText: '**two**' }).waitFor()
  expect(await page.title()).toBe('Document · atlas · Noema')
  expect(foreign).toEqual([])
})

test('a document is written in the console, with a preview, and never over another document', async () => {
  const { page } = browser
  await page.goto('/brains/atlas/documents')
  await page.getByRole('link', { name: 'New document' }).click()
  await page.getByLabel('Text').fill('# Tides\n\nHigh tide is at **noon**.')
  const preview = page.getByRole('region', { name: 'Preview' })
  await preview.getByText('noon', { exact: true }).waitFor()
  expect(await preview.locator('strong').textContent()).toBe('noon')
  await page.getByLabel('Id', { exact: true }).fill('harbor')
  await page.getByLabel('Source', { exact: true }).fill('almanac')
  await page.keyboard.press('Control+s')
  await page.getByText('Another document has this id.').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByLabel('Id', { exact: true }).fill('handbook/tides.md')
  await page.getByRole('button', { name: 'Create document' }).click()
  await page.waitForURL('**/documents/handbook%2Ftides.md')
  await page.locator('.markdown').getByText('High tide').waitFor()
  const { document } = await call('GET', '/documents/handbook%2Ftides.md')
  expect(document).toMatchObject({
    ...{ title: 'Tides', contentType: 'text/markdown', source: { name: 'almanac' }, version: 1 },
    text: '# Tides\n\nHigh tide is at **noon**.',
  })
})

test('unsaved text stays while other pages are opened, after a reload, and when the session ends', async () => {
  const { page } = browser
  await page.goto('/brains/atlas/documents/handbook%2Ftides.md')
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Text').fill('# Tides\n\nHigh tide is at one.')
  await page.getByRole('link', { name: 'Records', exact: true }).first().click()
  await page.getByRole('region', { name: 'Records' }).waitFor()
  await page.goto('/brains/atlas/documents/handbook%2Ftides.md')
  await page.getByText('text of yours that is not saved').waitFor()
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.getByText('Your unsaved text is back.').waitFor()
  expect(await page.getByLabel('Text').inputValue()).toContain('at one')
  expect(await barriers(page)).toEqual([])
  const cookies = await page.context().cookies()
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Save as a new version' }).click()
  await page.getByRole('dialog', { name: 'You are signed out' }).waitFor()
  expect(await page.getByLabel('Text').inputValue()).toContain('at one')
  await page.context().addCookies(cookies)
  await page.reload()
  expect(await page.getByLabel('Text').inputValue()).toContain('at one')
  await page.getByRole('button', { name: 'Discard it' }).click()
  await expect.poll(() => page.getByLabel('Text').inputValue()).toContain('**noon**')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.locator('.markdown').waitFor()
  expect(await page.getByText('not saved').count()).toBe(0)
})

test('an edit keeps what the form does not show, and its note is in the history, with who wrote it', async () => {
  const { page } = browser
  const lines = Array.from({ length: 30 }, (_, index) => `Line ${index + 1} of the log.`)
  const log = {
    id: 'log',
    title: 'Log',
    contentType: 'text/markdown',
    metadata: { row: 3 },
    source: { name: 'wiki', uri: 'wiki:log' },
    expiresAt: '2099-01-01T00:00:07.000Z',
  }
  await call('POST', '/documents', { ...log, text: lines.join('\n') })
  await page.goto('/brains/atlas/documents/log')
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Text').fill(lines.with(14, 'Line 15 was wrong.').join('\n'))
  await page.getByLabel('Note').fill('The log of May had an error')
  await page.getByRole('button', { name: 'Save as a new version' }).click()
  await page.getByText('version 2').waitFor()
  const { metadata, source, expiresAt } = log
  expect((await call('GET', '/documents/log')).document).toMatchObject({ metadata, source, expiresAt })
  await page.getByRole('tab', { name: 'Versions' }).click()
  const newest = page.getByRole('region', { name: 'Versions' }).getByRole('row').nth(1)
  await newest.getByText('“The log of May had an error”').waitFor()
  await newest.getByText('you', { exact: true }).waitFor()
  const comparison = page.getByRole('region', { name: 'Version 1 and Version 2' })
  await expect.poll(() => comparison.locator('td.before').allTextContents()).toEqual(['Line 15 of the log.'])
  expect(await comparison.locator('td.after').allTextContents()).toEqual(['Line 15 was wrong.'])
  expect(await comparison.locator('del, ins').count()).toBeGreaterThan(1)
  expect(await comparison.getByRole('button').allTextContents()).toEqual([
    ...['Show 11 unchanged lines', 'Show 12 unchanged lines'],
  ])
  expect(await barriers(page)).toEqual([])
  await comparison.getByRole('button').first().click()
  await comparison.getByText('Line 2 of the log.').first().waitFor()
  await page.getByText('Inline').click()
  await page.locator('.text-diff').waitFor()
  await newest.getByRole('link', { name: 'change' }).click()
  await page.getByRole('heading', { name: 'The log of May had an error' }).waitFor()
})

test('in review mode the text waits for review, and the page links to the change', async () => {
  const { page } = browser
  await call('PATCH', '', { mode: 'review' })
  await page.goto('/brains/atlas/documents/log?edit=true')
  await page.getByLabel('Text').fill('All new.')
  await page.getByRole('button', { name: 'Save as a new version' }).click()
  await page.getByText('Your text waits for review.').waitFor()
  expect((await call('GET', '/documents/log')).document.version).toBe(2)
  await page.getByRole('link', { name: 'Open the change' }).click()
  await page.getByRole('button', { name: 'Approve' }).waitFor()
  await call('PATCH', '', { mode: 'direct' })
})

test('a document lists the statements that cite it, with their quotes, and its readers', async () => {
  const { page } = browser
  await page.goto('/brains/atlas/documents/notes%2Fweek-1?tab=usage')
  await page.locator('q', { hasText: 'Project 1 is on track.' }).first().waitFor()
  await page.goto('/brains/atlas/documents/handbook%2Fon-call.md?tab=usage')
  await page.getByRole('region', { name: 'Readers' }).getByText('support-agent').first().waitFor()
  expect(await barriers(page)).toEqual([])
})

test('a snapshot shows its plan before anything is written, and exactly that plan is applied', async () => {
  const { page } = browser
  await page.goto('/brains/atlas/sources')
  await page.getByRole('link', { name: 'handbook', exact: true }).click()
  await page.getByText('No snapshot of handbook yet').waitFor()
  expect(await barriers(page)).toEqual([])
  const item = (id: string, text: string) => ({ id, title: id, text, contentType: 'text/markdown' })
  const planned = await call('POST', '/sources/handbook/snapshots', {
    items: [item('handbook/releases.md', 'We release daily.'), item('handbook/new.md', 'Something new.')],
    complete: true,
  })
  await page.reload()
  await page.getByRole('table', { name: 'Snapshots of handbook' }).getByRole('link').first().click()
  await page.getByRole('link', { name: 'add 1' }).waitFor()
  const plan = page.getByRole('table', { name: 'Plan' })
  expect((await plan.locator('tr[data-row]').allTextContents()).sort()).toEqual([
    'addhandbook/new.mdhandbook/new.md',
    'retireOn callhandbook/on-call.md2',
    'updatehandbook/releases.mdhandbook/releases.md1',
  ])
  expect(await barriers(page)).toEqual([])
  await page.getByRole('link', { name: 'retire 1' }).click()
  await expect.poll(() => plan.locator('tr[data-row]').count()).toBe(1)
  expect((await call('GET', '/documents/handbook%2Freleases.md')).document.text).toContain('Tuesdays')
  const asking = page.getByRole('checkbox', { name: 'Retire 1 documents anyway' })
  if (planned.snapshot.guard.needsAllowRetire) await asking.check()
  await page.getByRole('button', { name: 'Apply plan' }).click()
  await page.getByText('applied', { exact: true }).first().waitFor()
  expect((await call('GET', '/documents/handbook%2Freleases.md')).document.text).toBe('We release daily.')
})

test('a document is retired after a confirmation, and its versions stay readable', async () => {
  const { page } = browser
  await page.goto('/brains/atlas/documents/plan.md')
  await page.getByRole('button', { name: 'Retire' }).click()
  await page.getByRole('button', { name: 'Retire document' }).click()
  await page.getByText('No current document has this id.').waitFor()
  await page.getByRole('region', { name: 'Versions' }).getByRole('link', { name: '2', exact: true }).click()
  await page.getByText('We begin in June.').waitFor()
})

test('no page called another host, broke its policy or threw', () => {
  expect(browser.problems).toEqual([])
})
