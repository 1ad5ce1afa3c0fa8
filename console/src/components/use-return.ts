import { useEffect } from 'react'

/** Runs a function whenever somebody comes back to the page, from another tab or from their mail. */
export const useReturn = (run: () => unknown): void => {
  useEffect(() => {
    const look = () => document.hidden || run()
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [run])
}
