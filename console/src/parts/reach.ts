import { baseUrl } from '../base-path.ts'
import { createObservable } from '../observable.ts'

// Reports if the service cannot be reached. A call that gets no answer starts to ask for one until there is one, so the notice about it
// disappears by itself. A browser without a network may still reach a service on its own machine, so only calls decide.

export type Reach = 'reached' | 'offline' | 'unreachable'

/** The state of the connection to the service. */
export const reach = createObservable<Reach>('reached')

const isLost = (): boolean => reach.read() !== 'reached'

const setLost = (lost: boolean) => reach.set(lost ? (navigator.onLine ? 'unreachable' : 'offline') : 'reached')

/** The answer of a proxy in front of the service, which it cannot reach. */
const isFromProxy = ({ status }: Response): boolean => status === 502 || status === 504

const maxPause = 5_000
let timer: ReturnType<typeof setTimeout> | undefined

const ask = async (pause: number) => {
  timer = undefined
  try {
    await reachingFetch(`${baseUrl}/livez`, { cache: 'no-store' })
  } catch {
    // `reachingFetch` has reported it.
  }
  if (isLost()) askLater(Math.min(maxPause, pause * 2))
}

const askLater = (pause: number) => {
  timer ??= setTimeout(() => void ask(pause), pause)
}

const change = (lost: boolean) => {
  if (lost === isLost()) return
  if (lost) askLater(500)
  setLost(lost)
}

/** `fetch` that notices if the service does not answer. */
export const reachingFetch: typeof fetch = async (input, init) => {
  try {
    const response = await fetch(input, init)
    change(isFromProxy(response))
    return response
  } catch (error) {
    // A page that is left stops its calls.
    if (!init?.signal?.aborted) change(true)
    throw error
  }
}

/** Resolves when the service answers again, or after a pause. */
export const pauseUnlessReached = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(pause)
      stop()
      resolve()
    }
    const pause = setTimeout(end, milliseconds)
    const stop = reach.subscribe(() => {
      if (!isLost()) end()
    })
  })

/** The network came or went: asks at once. */
const askNow = () => {
  clearTimeout(timer)
  setLost(isLost())
  void ask(250)
}
addEventListener('online', askNow)
addEventListener('offline', askNow)
