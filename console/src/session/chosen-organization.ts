const storageName = 'noema-organization'

/** Remembers which organization the pages open in. */
export const rememberOrganization = (id: string): void => {
  try {
    localStorage.setItem(storageName, id)
  } catch {
    // Storage is switched off: the choice lasts until the page closes.
  }
}

export const rememberedOrganization = (): string | null => {
  try {
    return localStorage.getItem(storageName)
  } catch {
    return null
  }
}
