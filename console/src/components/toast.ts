import { createObservable } from '../observable.ts'

/** A short message over the page about an outcome. It disappears after a while. */
export type Toast = {
  id: number
  tone: 'plain' | 'good' | 'danger'
  title: string
  text?: string | undefined
  requestId?: string | undefined
  action?: { name: string; onSelect: () => void }
}

export const toasts = createObservable<readonly Toast[]>([])
let lastId = 0

/** More would cover the page; the oldest are removed. */
const maxToasts = 4

export const closeToast = (id: number): void => toasts.set(toasts.read().filter((toast) => toast.id !== id))

/** Confirms an action that the page itself does not show. It disappears automatically unless it reports an error. */
export const showToast = (toast: Omit<Toast, 'id' | 'tone'> & { tone?: Toast['tone'] }): void => {
  lastId++
  toasts.set([...toasts.read(), { tone: 'plain' as const, ...toast, id: lastId }].slice(-maxToasts))
}

const readRequestId = (error: object): string | undefined =>
  'requestId' in error && typeof error.requestId === 'string' ? error.requestId : undefined

/** Reports an error with the service's message and the request id for the operator's log. */
export const showFailure = (error: unknown, title: string): void => {
  const failure = error instanceof Error ? error : new Error(String(error))
  showToast({ tone: 'danger', title, text: failure.message, requestId: readRequestId(failure) })
}
