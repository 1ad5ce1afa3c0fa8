// Background work that outlasts a visit to a page: an export, an import, many uploads. It belongs to no view, so it continues
// when another page is opened, and the frame of the pages shows its progress.

type Progress = { done?: number; total?: number; text?: string }

export type Work = Progress & {
  id: number
  name: string
  state: 'running' | 'done' | 'failed' | 'cancelled'
  failure?: string
}

type Start = {
  /** Its title in the tray: "Export of handbook". */
  name: string
  /** Does the work. `report` updates its progress; the signal aborts when the person cancels it. Its last text stays visible. */
  run: (reach: { signal: AbortSignal; report: (progress: Progress) => void }) => Promise<unknown>
}

let works: readonly Work[] = []
let lastId = 0
const controllers = new Map<number, AbortController>()
const listeners = new Set<() => void>()

// Closing the console would cancel it: the browser asks first.
const askBeforeLeaving = (event: BeforeUnloadEvent) => event.preventDefault()

const change = (next: readonly Work[]) => {
  works = next
  if (works.some(({ state }) => state === 'running')) addEventListener('beforeunload', askBeforeLeaving)
  else removeEventListener('beforeunload', askBeforeLeaving)
  for (const listener of listeners) listener()
}

const update = (id: number, changes: Partial<Work>) =>
  change(works.map((work) => (work.id === id ? { ...work, ...changes } : work)))

/** Starts background work. Resolves when it has ended, with or without an error. */
export const startLongWork = async ({ name, run }: Start): Promise<void> => {
  lastId++
  const id = lastId
  const controller = new AbortController()
  controllers.set(id, controller)
  change([...works, { id, name, state: 'running' }])
  try {
    await run({ signal: controller.signal, report: (progress) => update(id, progress) })
    update(id, { state: 'done' })
  } catch (error) {
    if (controller.signal.aborted) update(id, { state: 'cancelled', text: 'Cancelled.' })
    else update(id, { state: 'failed', failure: error instanceof Error ? error.message : String(error) })
  } finally {
    controllers.delete(id)
  }
}

export const cancelWork = (id: number): void => controllers.get(id)?.abort()

export const closeWork = (id: number): void => change(works.filter((work) => work.id !== id))

export const subscribeToWorks = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export const readWorks = (): readonly Work[] => works
