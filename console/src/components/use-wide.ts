import { useCallback, useSyncExternalStore } from 'react'

/** True if the window is at least so many pixels wide. Use CSS where the content stays the same. */
export const useWide = (minWidth: number): boolean => {
  const subscribe = useCallback(
    (listener: () => void) => {
      const query = matchMedia(`(min-width: ${minWidth}px)`)
      query.addEventListener('change', listener)
      return () => query.removeEventListener('change', listener)
    },
    [minWidth],
  )
  return useSyncExternalStore(subscribe, () => matchMedia(`(min-width: ${minWidth}px)`).matches)
}
