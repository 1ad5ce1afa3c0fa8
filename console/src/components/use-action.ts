import { useCallback, useState } from 'react'

/** Something that a button or a form does: whether it is under way, and how it failed. Only one runs at a time. */
export const useAction = <Args extends readonly unknown[]>(act: (...args: Args) => Promise<void>) => {
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<unknown>(undefined)
  const run = useCallback(
    async (...args: Args) => {
      setRunning(true)
      setError(undefined)
      try {
        await act(...args)
      } catch (failure) {
        setError(failure)
      } finally {
        setRunning(false)
      }
    },
    [act],
  )
  return { run, isRunning, error }
}
