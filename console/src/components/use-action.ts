import { useCallback, useState } from 'react'

/** An action of a button: whether it is running, and its last error. Only one runs at a time. */
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
