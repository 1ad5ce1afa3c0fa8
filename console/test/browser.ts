import { existsSync } from 'node:fs'
import { chromium, type Page, type Browser as Program } from 'playwright-core'
import { findViolations, pageViews } from './axe.ts'

/** Debian's paths. The shell has no window to draw, so it takes less of the processors. */
const [shell, browser] = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
/** Chromium or Chrome. NOEMA_CHROMIUM names another one. */
const executablePath = process.env.NOEMA_CHROMIUM || (existsSync(shell) ? shell : browser)
const isRequired = process.env.CI !== undefined && process.env.CI !== ''
const dist = new URL('../dist/index.html', import.meta.url)

/** The reason why the browser tests cannot run; undefined if they can. With CI set they run, or fail. */
export const whyNot = (): string | undefined => {
  if (isRequired) return undefined
  if (!existsSync(executablePath))
    return `There is no ${executablePath}: apt-get install chromium-headless-shell, or set NOEMA_CHROMIUM to the path of a Chromium or Chrome.`
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

// A string, because it runs in the page, where the types of the tests do not apply.
const reportViolations = `
  addEventListener('securitypolicyviolation', (event) => {
    reportProblem('policy: ' + event.violatedDirective + ' ' + event.blockedURI)
  })`

let launched: Promise<Program> | undefined

/** One browser for this process. All files of a worker share it, each with its own context. */
const launch = (): Promise<Program> => {
  // It exits with this process, because its pipe closes.
  launched ??= chromium.launch({ executablePath, args, handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false })
  return launched
}

/** Closes the browser of this process, if it has one. */
export const quitBrowser = async (): Promise<void> => {
  await (await launched)?.close()
  launched = undefined
}

/**
 * A new context for a service's pages, and for those of `others`, which may load anything. `problems` collects violations:
 * requests to other hosts, policy violations, and errors.
 */
export const openBrowser = async (origin: string, others: readonly string[] = []) => {
  const context = await (await launch()).newContext({ baseURL: origin })
  const problems: string[] = []
  await context.exposeBinding('reportProblem', (_source, problem: string) => problems.push(problem))
  await context.addInitScript(reportViolations)
  context.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url())
    if (others.some((one) => request.headers().referer?.startsWith(one))) return
    if (protocol !== 'blob:' && asked !== origin && !others.includes(asked)) problems.push(`foreign: ${request.url()}`)
  })
  context.on('weberror', (error) => problems.push(`thrown: ${error.error().message}`))
  const page = await context.newPage()
  page.setDefaultTimeout(90_000)
  return { page, problems, close: () => context.close() }
}

export type Browser = Awaited<ReturnType<typeof openBrowser>>

/** The accessibility problems of a page, in light and dark, narrow and wide. */
export const barriers = async (page: Page, views = pageViews): Promise<string[]> => {
  const found: string[] = []
  for (const view of views) {
    found.push(...(await findViolations(page, view)))
    const excess = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    if (excess !== 0) found.push(`${view.width}: ${excess} px too wide`)
  }
  return found
}
