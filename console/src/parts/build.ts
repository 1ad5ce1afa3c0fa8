import { basePath } from '../base-path.ts'
import type { Build } from './load-part.ts'
import { reachingFetch } from './reach.ts'

// The build that the page comes from, named by the hash of its first script.

const ownScript = document.querySelector<HTMLScriptElement>('script[type=module][src]')?.getAttribute('src') ?? ''

/** Asks the service for its build. */
export const readBuild = async (): Promise<Build> => {
  try {
    const response = await reachingFetch(`${basePath}/`, { cache: 'no-store' })
    if (!response.ok) return 'unreachable'
    return (await response.text()).includes(`"${ownScript}"`) ? 'same' : 'other'
  } catch {
    return 'unreachable'
  }
}

const broken = new Set<HTMLLinkElement>()

const isStyleSheet = (target: EventTarget | null): target is HTMLLinkElement =>
  target instanceof HTMLLinkElement && target.rel === 'stylesheet'

const keepBroken = ({ target }: Event) => {
  if (isStyleSheet(target)) broken.add(target)
}
document.addEventListener('error', keepBroken, { capture: true })

const reloadSheet = (sheet: HTMLLinkElement) =>
  new Promise<void>((resolve, reject) => {
    const next = sheet.cloneNode()
    next.addEventListener('load', () => resolve())
    next.addEventListener('error', () => reject(new Error(`Unable to preload CSS for ${sheet.href}`)))
    broken.delete(sheet)
    sheet.replaceWith(next)
  })

/** Loads the style sheets again that did not arrive. The import of a view asks for each only once. */
export const restoreStyles = async (): Promise<void> => {
  await Promise.all([...broken].map(reloadSheet))
}

const key = 'noema-reloaded'

/** Reloads the page to get the files of the present build: once for each build and page, so never in a loop. */
export const reloadOnce = (): boolean => {
  const now = `${ownScript} ${location.pathname}`
  try {
    if (sessionStorage.getItem(key) === now) return false
    sessionStorage.setItem(key, now)
  } catch {
    // Without storage nothing would stop a loop.
    return false
  }
  location.reload()
  return true
}
