import type { Log } from './shared/log.ts'

/** What a process opened. What is opened later may use what was opened before, so it is closed in the reverse order. */
export type Lifecycle = {
  /** Keeps a resource, and how it is closed, which is waited for; and answers it. */
  open<Resource>(name: string, resource: Resource, close: (resource: Resource) => unknown): Resource
  /** Closes everything, one after the other. What cannot be closed is logged, and keeps nothing else open. */
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
