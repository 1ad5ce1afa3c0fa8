import type { Log } from './shared/log.ts'

/** The open resources of a process. Later ones may use earlier ones, so they are closed in the reverse order. */
export type Lifecycle = {
  /** Registers a resource and how to close it, and returns it. `close` is awaited. */
  open<Resource>(name: string, resource: Resource, close: (resource: Resource) => unknown): Resource
  /** Closes everything, one after the other. A failure is logged and does not stop the rest. */
  close(): Promise<void>
}

type Opened = { name: string; close: () => unknown }

export const createLifecycle = (log: Log): Lifecycle => {
  const opened: Opened[] = []
  let closing: Promise<void> | undefined
  const closeAll = async () => {
    for (let last = opened.pop(); last; last = opened.pop()) {
      const startedAt = performance.now()
      try {
        await last.close()
        log.debug({ resource: last.name, milliseconds: Math.round(performance.now() - startedAt) }, 'closed')
      } catch (error) {
        log.warn({ resource: last.name, err: error }, 'a resource could not be closed')
      }
    }
  }
  return {
    open: (name, resource, close) => {
      opened.push({ name, close: () => close(resource) })
      return resource
    },
    close: () => {
      closing ??= closeAll()
      return closing
    },
  }
}
