import { expect, test } from 'vitest'
import { useApp } from '../../test/harness.ts'

const app = useApp()

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(app.base + path, { headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test('D-81 the pages of the documentation need no key and come under the strict policy of all pages', async () => {
  for (const path of ['/docs', '/docs/guides', '/docs/guides/webhooks', '/docs/assets/swagger-ui.css']) {
    const { status, headers } = await get(path)
    expect(status, path).toBe(200)
    expect(headers.get('content-security-policy')).toContain("default-src 'self'")
    expect(headers.get('content-security-policy')).not.toContain('unsafe')
  }
})

test('D-81 style sheets of the documentation hold no images and name no other host', async () => {
  const { text } = await get('/docs/assets/swagger-ui.css')
  const addresses = [...text.matchAll(/url\("?([^")]*)/g)].map(([, address]) => address ?? '')
  expect(addresses.length).toBeGreaterThan(10)
  for (const address of new Set(addresses)) {
    expect(address).toMatch(/^\/docs\/assets\/image-\d+\.\w+$/)
    const image = await get(address)
    expect([image.status, image.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^image\//)])
  }
})

test('D-81 every link between guides leads to a page, and every guide is there as Markdown too', async () => {
  const index = await get('/docs/guides')
  const guides = [...index.text.matchAll(/href="(\/docs\/guides\/[\w-]+)"/g)].map(([, path]) => path ?? '')
  expect(guides.length).toBeGreaterThan(8)
  for (const guide of guides) {
    expect((await get(`${guide}.md`)).text).toMatch(/^# /m)
    const { text } = await get(guide)
    expect(text).not.toContain('<script>')
    for (const [, path = '', anchor] of text.matchAll(/href="(\/docs\/guides\/[\w-]+)(?:#([^"]*))?"/g)) {
      const linked = await get(path)
      expect(linked.status, `${guide} -> ${path}`).toBe(200)
      if (anchor) expect(linked.text, `${guide} -> ${path}#${anchor}`).toContain(`id="${anchor}"`)
    }
  }
})

test('D-81 a path that is no page of the documentation is 404 like anything else', async () => {
  for (const path of ['/docs/guides/none', '/docs/guides/..%2F..%2Fpackage.json', '/docs/assets/package.json']) {
    const { status, text } = await get(path)
    expect([status, JSON.parse(text).error.kind]).toEqual([404, 'not_found'])
  }
})

test('D-81 llms.txt lists the guides and the document, and llms-full.txt holds all of it', async () => {
  const [short, full] = [await get('/llms.txt'), await get('/llms-full.txt')]
  expect(short.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(short.text).toMatch(/^# Noema\n\n> /)
  const links = [...short.text.matchAll(/\]\(http:\/\/noema\.test([^)]*)\)/g)].map(([, path]) => path ?? '')
  expect(links).toContain('/docs/guides/webhooks.md')
  for (const path of links) expect((await get(path)).status, path).toBe(200)
  expect(full.text).toContain('`POST /v1/brains/{handle}/records`: Create a record')
  expect(full.text.length).toBeGreaterThan(50_000)
})

test('D-81 each guide has a whole sentence in llms.txt', async () => {
  const { text } = await get('/llms.txt')
  const guides = [...text.matchAll(/^- \[[^\]]+\]\(\S+\/docs\/guides\/\S+\.md\): (.*)$/gm)].map(([, about]) => about)
  expect(guides.length).toBeGreaterThan(10)
  for (const about of guides) expect(about).toMatch(/^(?!```)[A-Z`].*\.$/)
})

test('the documentation is compressed for who takes it, and answers HEAD and 304', async () => {
  const zipped = await fetch(`${app.base}/docs/assets/swagger-ui-bundle.js`, { headers: { 'accept-encoding': 'gzip' } })
  expect(zipped.headers.get('content-encoding')).toBe('gzip')
  const etag = zipped.headers.get('etag') ?? ''
  await zipped.arrayBuffer()
  const again = await get('/docs/assets/swagger-ui-bundle.js', { 'if-none-match': etag, 'accept-encoding': 'gzip' })
  expect(again.status).toBe(304)
  expect((await fetch(`${app.base}/docs`, { method: 'HEAD' })).status).toBe(200)
})
