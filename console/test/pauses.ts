import type { Page } from 'playwright-core'

// The pause of a second in which keys decide nothing, without the second.

/** A string, because it runs in the page, where the types of the tests do not apply. */
const replaceTimers = `{
  const wait = setTimeout
  const held = []
  window.setTimeout = (run, pause, ...rest) => {
    if (pause !== 1_000) return wait(run, pause, ...rest)
    if (!window.holdsPauses) return void queueMicrotask(run)
    return held.push(run)
  }
  window.endPauses = () => {
    for (const run of held.splice(0)) run()
  }
}`

/** Ends every pause at once, or with `endPauses` while they are held. */
export const controlPauses = (page: Page) => page.addInitScript(replaceTimers)

export const holdPauses = (page: Page) => page.evaluate('void (window.holdsPauses = true)')

export const endPauses = (page: Page) => page.evaluate('window.holdsPauses = false; window.endPauses()')
