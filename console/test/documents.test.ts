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
