import { useCallback, useEffect, useState } from 'react'

type Loaded<Data> = { data: Data | undefined; error: unknown; isLoading: boolean }

/**
 * Loads data when the component appears and whenever `load` is another function. The previous data stays until the new data
 * arrives, so that nothing jumps.
 */
export const useLoaded = <Data>(load: (signal: AbortSignal) => Promise<Data>) => {
  const [state, setState] = useState<Loaded<Data>>({ data: undefined, error: undefined, isLoading: true })
  const [turn, setTurn] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new count reloads the same data
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    setState((before) => ({ ...before, isLoading: true }))
    load(signal).then(
      (data) => signal.aborted || setState({ data, error: undefined, isLoading: false }),
      (error) => signal.aborted || setState({ data: undefined, error, isLoading: false }),
    )
    return () => controller.abort()
  }, [load, turn])
  const reload = useCallback(() => setTurn((last) => last + 1), [])
  return { ...state, reload }
}
