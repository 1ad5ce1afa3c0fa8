const minute = 60_000

/** True if a text names a moment. */
export const isTime = (text: string | undefined): text is string =>
  text !== undefined && !Number.isNaN(Date.parse(text))

/** A moment as an input of the browser has it, in the person's own time; empty if there is none. */
export const toLocal = (iso: string | undefined): string => {
  if (!isTime(iso)) return ''
  const date = new Date(iso)
  return new Date(date.getTime() - date.getTimezoneOffset() * minute).toISOString().slice(0, 16)
}

/** The moment that an input of the browser has. */
export const toIso = (local: string): string | undefined => (isTime(local) ? new Date(local).toISOString() : undefined)
