/**
 * Debounces notified keys: releases a key after a pause, or after a maximum wait, so that one turn follows a burst of
 * commits. A quiet key is released after one to two pauses.
 */
export const createDebounce = (
  { quietMilliseconds, maxMilliseconds }: { quietMilliseconds: number; maxMilliseconds: number },
  release: (key: string) => void,
) => {
  const waiting = new Map<string, { milliseconds: number; isWoken: boolean }>()
  let timer: NodeJS.Timeout | undefined
  const check = () => {
    timer = undefined
    for (const [key, one] of waiting) {
      one.milliseconds += quietMilliseconds
      if (one.isWoken && one.milliseconds < maxMilliseconds) one.isWoken = false
      else {
        waiting.delete(key)
        release(key)
      }
    }
    if (waiting.size > 0) timer = setTimeout(check, quietMilliseconds)
  }
  return {
    wake: (key: string): void => {
      const known = waiting.get(key)
      if (known) known.isWoken = true
      else waiting.set(key, { milliseconds: 0, isWoken: true })
      timer ??= setTimeout(check, quietMilliseconds)
    },
    /** Releases everything now. */
    releaseAll: (): void => {
      const keys = [...waiting.keys()]
      waiting.clear()
      for (const key of keys) release(key)
    },
    stop: (): void => {
      clearTimeout(timer)
      waiting.clear()
    },
  }
}
