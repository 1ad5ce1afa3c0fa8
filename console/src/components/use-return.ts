import { useEffect } from 'react'

/** Runs a function when the person returns to the page, from another tab or their email. */
export const useReturn = (run: () => unknown): void => {
  useEffect(() => {
    const look = () => document.hidden || run()
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [run])
}
