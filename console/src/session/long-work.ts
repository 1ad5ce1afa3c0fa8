import { type Progress, type Work, works } from './works.ts'

// Background work that outlasts a visit to a page: an export, an import, many uploads. It belongs to no view, so it continues
// when another page is opened, and the frame of the pages shows its progress.

type Start = {
  /** Its title in the tray: "Export of handbook". */
  name: string
  /** Does the work. `report` updates its progress; the signal aborts when the person cancels it. Its last text stays visible. */
  run: (reach: { signal: AbortSignal; report: (progress: Progress) => void }) => Promise<unknown>
}

let lastId = 0
const controllers = new Map<number, AbortController>()

// Closing the console would cancel it: the browser asks first.
const askBeforeLeaving = (event: BeforeUnloadEvent) => event.preventDefault()

const change = (next: readonly Work[]) => {
  works.set(next)
  if (next.some(({ state }) => state === 'running')) addEventListener('beforeunload', askBeforeLeaving)
  else removeEventListener('beforeunload', askBeforeLeaving)
}

const update = (id: number, changes: Partial<Work>) =>
  change(works.read().map((work) => (work.id === id ? { ...work, ...changes } : work)))

/** Starts background work. Resolves when it has ended, with or without an error. */
export const startLongWork = async ({ name, run }: Start): Promise<void> => {
  lastId++
  const id = lastId
  const controller = new AbortController()
  controllers.set(id, controller)
  change([...works.read(), { id, name, state: 'running' }])
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

export const closeWork = (id: number): void => change(works.read().filter((work) => work.id !== id))
