// The data that this browser keeps between visits: the last location, never a key.

const read = (name: string): string | null => {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

const write = (name: string, value: string): void => {
  try {
    localStorage.setItem(name, value)
  } catch {
    // Storage is disabled: the values last until the page closes.
  }
}

/** The organization that the pages open in. */
export const rememberOrganization = (id: string): void => write('noema-organization', id)
export const rememberedOrganization = (): string | null => read('noema-organization')

/** True if someone signed in here before: they see the sign-in page, not the sign-up page. */
export const rememberVisit = (): void => write('noema-visited', 'yes')
export const hasVisited = (): boolean => read('noema-visited') !== null

/** True if the service saw a session, which may have ended, or someone signed in here before. */
export const mayBeSignedIn = (): boolean => 'session' in document.documentElement.dataset || hasVisited()
