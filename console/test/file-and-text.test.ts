import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { makePdf } from '../../bench/parts/sample-files.ts'
import { barriers } from './browser.ts'
import type { Call } from './callers.ts'
import { provideBrowser } from './provide-browser.ts'
import { provideService } from './provide-service.ts'
import { signUpOnPage } from './signed-in.ts'

// Versions of files, and files next to the texts that were extracted from them. The tests build on each other.

let call: Call

const service = provideService()
const browser = provideBrowser(
  () => service,
  async () => {
    call = await signUpOnPage(browser, service, 'files-and-texts@example.com')
    await call('PUT', '/v1/brains/atlas', {})
  },
)

/** Uploads a file as the page does, by the session of the person. */
const upload = async (path: string, contentType: string, body: Buffer | string): Promise<string> => {
  const { page } = browser
  const { organizations } = await call('GET', '/v1/whoami')
  return page.evaluate(
    async ([url, type, bytes, organization]) => {
      const headers = { 'content-type': type, 'x-organization-id': organization }
      const sent = await fetch(url, { method: 'POST', headers, body: new Uint8Array(bytes) })
      return JSON.parse(await sent.text()).data.artifact.id
    },
    [
      `/v1/artifacts?path=${encodeURIComponent(path)}`,
      contentType,
      [...Buffer.from(body)],
      String(organizations[0].id),
    ] as const,
  )
}
const openFile = async (id: string) => {
  await browser.page.goto(`/brains/atlas/documents/${id}?tab=file`)
}

test('FIL-18 earlier versions of a file are listed, downloaded and deleted', async () => {
  const { page } = browser
  for (const text of ['one', 'second', 'the third']) await upload('plan.txt', 'text/plain', text)
  await page.goto('/files')
  await page.getByRole('link', { name: 'plan.txt' }).click()
  const versions = page.getByRole('region', { name: 'Earlier versions' })
  await versions.getByRole('button', { name: 'Download version 2' }).waitFor()
  expect(await versions.getByRole('listitem').count()).toBe(2)
  expect(await barriers(page)).toEqual([])
  const downloading = page.waitForEvent('download')
  await versions.getByRole('button', { name: 'Download version 1' }).click()
  const stream = await (await downloading).createReadStream()
  expect(Buffer.concat(await Array.fromAsync(stream)).toString()).toBe('one')
  await versions.getByRole('button', { name: 'Delete version 1' }).click()
  await page.getByRole('dialog', { name: 'Delete version 1?' }).getByRole('button', { name: 'Delete version' }).click()
  await expect.poll(() => versions.getByRole('listitem').count()).toBe(1)
  const { artifacts } = await call('GET', '/v1/artifacts')
  const { versions: kept } = await call('GET', `/v1/artifacts/${artifacts[0].id}/versions`)
  expect(kept.map(({ version }: { version: number }) => version)).toEqual([2, 3])
})

test('FIL-18 a PDF is next to the text of its page, in a frame of the type that the page chose', async () => {
  const { page } = browser
  const line = (text: string) => [{ text, y: 700 }]
  const artifact = await upload('report.pdf', 'application/pdf', makePdf([line('First page'), line('Second page')]))
  await call('POST', '/v1/brains/atlas/documents', { id: 'report', artifact })
  await openFile('report')
  await page.getByRole('region', { name: 'Text of page 1' }).getByText('First page').waitFor()
  const frame = page.locator('iframe[title="report.pdf"]')
  await frame.waitFor()
  expect(await frame.getAttribute('src')).toMatch(/^blob:.*#page=1$/)
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/pdf.png` })
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByRole('region', { name: 'Text of page 2' }).getByText('Second page').waitFor()
  expect(await frame.getAttribute('src')).toMatch(/#page=2$/)
  expect(await page.getByRole('button', { name: 'Next page' }).isDisabled()).toBe(true)
})

const toHostile = (host: string) => `<!doctype html><title>Guide</title><h1>Guide</h1><p>Read me</p>
  <script>parent.document.title = 'taken'; fetch('/v1/whoami')</script>
  <img src="/v1/whoami" onerror="parent.document.title = 'taken'"><img src="${host}/track">
  <form action="/v1/keys" method="post"><button>Send</button></form><a href="javascript:alert(1)" id="link">link</a>
  <meta http-equiv="refresh" content="0;url=${host}/away"><iframe src="/account"></iframe>`

test('FIL-18 a hostile web page next to its text runs nothing, sends nothing and stays where it is', async () => {
  const { page } = browser
  const received: string[] = []
  const stranger = createServer((request, response) => {
    received.push(request.url ?? '')
    response.end()
  }).listen(0, '127.0.0.1')
  await once(stranger, 'listening')
  const host = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`
  const artifact = await upload('guide.html', 'text/html', toHostile(host))
  await call('POST', '/v1/brains/atlas/documents', { id: 'guide', artifact })
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  const before = browser.problems.length
  await openFile('guide')
  const frame = page.frameLocator('iframe[title="guide.html"]')
  await frame.getByText('Read me').waitFor()
  await frame.locator('#link').click()
  await frame.getByRole('button', { name: 'Send' }).click()
  // Another request of the page itself is answered after anything that the frame began.
  await page.evaluate(() => fetch('/livez'))
  expect(await page.title()).not.toContain('taken')
  expect(await frame.getByText('Read me').count()).toBe(1)
  expect(requests.filter((url) => url.endsWith('/v1/keys') || url.endsWith('/away'))).toEqual([])
  // A browser may report a request that it does not send.
  expect(received).toEqual([])
  stranger.close()
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/html.png` })
  browser.problems.splice(before)
})

test('FIL-18 the bytes of a false PDF are not shown as a page', async () => {
  const { page } = browser
  const artifact = await upload('false.pdf', 'application/pdf', makePdf([[{ text: 'True', y: 700 }]]))
  await call('POST', '/v1/brains/atlas/documents', { id: 'false', artifact })
  await page.route('**/v1/artifacts/*/content?*', (route) =>
    route.fulfill({ status: 200, contentType: 'text/html', body: '<script>parent.document.title = "taken"</script>' }),
  )
  await openFile('false')
  const frame = page.locator('iframe[title="false.pdf"]')
  await frame.waitFor()
  const type = await page.evaluate(
    async (src) => {
      const blob = await fetch(src)
        .then((answer) => answer.blob())
        .catch(() => undefined)
      return blob?.type ?? 'refused'
    },
    String(await frame.getAttribute('src')),
  )
  expect(['application/pdf', 'refused']).toContain(type)
  expect(await page.title()).not.toContain('taken')
  await page.unrouteAll({ behavior: 'wait' })
})

test('FIL-18 of a version that was deleted, and of a type that browsers do not show, the page says so', async () => {
  const { page } = browser
  const artifact = await upload('notes.txt', 'text/plain', 'Notes about the harbor.')
  await call('POST', '/v1/brains/atlas/documents', { id: 'notes', artifact })
  await openFile('notes')
  await page.getByRole('region', { name: 'The file notes.txt' }).getByText('Notes about the harbor.').waitFor()
  await upload('notes.txt', 'text/plain', 'Newer.')
  await call('DELETE', `/v1/artifacts/${artifact}?version=1`)
  await page.reload()
  await page.getByText('(deleted since)').waitFor()
  expect(await page.getByRole('tab', { name: 'Next to its file' }).count()).toBe(0)
})
