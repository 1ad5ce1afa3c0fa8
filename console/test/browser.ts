import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { findViolations, schemes } from './axe.ts'

// A look at a page in light and dark, narrow and wide takes seconds, and much more on a machine that is busy. Measurements open
// a browser, too, and are no tests.
if (process.env.VITEST) (await import('vitest')).vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

/** Chromium or Chrome: NOEMA_CHROMIUM names it where it is not in Debian's place. */
const executablePath = process.env.NOEMA_CHROMIUM || '/usr/bin/chromium'
const isWanted = process.env.CI !== undefined && process.env.CI !== ''
const dist = new URL('../dist/index.html', import.meta.url)

/** Why the tests in a browser cannot run here; undefined where they can. With CI set they run, or fail. */
export const whyNot = (): string | undefined => {
  if (isWanted) return undefined
  if (!existsSync(executablePath))
    return `There is no ${executablePath}: apt-get install chromium, or set NOEMA_CHROMIUM to the path of a Chromium or Chrome.`
  return existsSync(dist) ? undefined : 'The console is not built: npm run build -w @noema/console.'
}

const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

// Written as text, because it runs in the page, where the types of the tests do not hold.
const reportViolations = `
  addEventListener('securitypolicyviolation', (event) => {
    tellTest('policy: ' + event.violatedDirective + ' ' + event.blockedURI)
  })`

/** A fresh browser on a service's pages, and on those of `others`, which load what they like. `problems` gathers what must never happen there. */
export const openBrowser = async (origin: string, others: readonly string[] = []) => {
  const profile = await mkdtemp(join(tmpdir(), 'noema-chromium-'))
  const context = await chromium.launchPersistentContext(profile, { executablePath, args, baseURL: origin })
  const problems: string[] = []
  await context.exposeBinding('tellTest', (_source, told: string) => problems.push(told))
  await context.addInitScript(reportViolations)
  context.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url())
    if (others.some((one) => request.headers().referer?.startsWith(one))) return
    if (protocol !== 'blob:' && asked !== origin && !others.includes(asked)) problems.push(`foreign: ${request.url()}`)
  })
  context.on('weberror', (error) => problems.push(`thrown: ${error.error().message}`))
  const [page = await context.newPage()] = context.pages()
  page.setDefaultTimeout(30_000)
  return {
    page,
    problems,
    close: async () => {
      await context.close()
      await rm(profile, { recursive: true, force: true })
    },
  }
}

export type Browser = Awaited<ReturnType<typeof openBrowser>>

const widths = [390, 1280]

/** What keeps people from using a page, in light and dark, narrow and wide; empty when nothing does. */
export const barriers = async (page: Page): Promise<string[]> => {
  const found: string[] = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    for (const scheme of schemes)
      found.push(...(await findViolations(page, scheme)).map((one) => `${width} ${scheme} ${one}`))
    const excess = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    if (excess !== 0) found.push(`${width}: ${excess} px too wide`)
  }
  await page.setViewportSize({ width: 1280, height: 900 })
  return found
}
