import { useEffect } from 'react'
import { useObservable } from '../observable.ts'
import { IconButton } from './button.tsx'
import { toasts as allToasts, closeToast, type Toast } from './toast.ts'

const shownMilliseconds = 6_000

const ToastCard = ({ toast }: { toast: Toast }) => {
  const { id, tone, title, text, requestId, action } = toast
  useEffect(() => {
    // An error stays until the person dismisses it.
    if (tone === 'danger') return
    const timer = setTimeout(() => closeToast(id), shownMilliseconds)
    return () => clearTimeout(timer)
  }, [id, tone])
  return (
    <li className="toast" data-tone={tone}>
      <div>
        <p className="toast-title">{title}</p>
        {text && <p>{text}</p>}
        {requestId && (
          <p className="small muted">
            Request <code>{requestId}</code>
          </p>
        )}
        {action && (
          <button
            type="button"
            className="button small"
            onClick={() => {
              action.onSelect()
              closeToast(id)
            }}
          >
            {action.name}
          </button>
        )}
      </div>
      <IconButton icon="close" label="Dismiss" onClick={() => closeToast(id)} />
    </li>
  )
}

/** The region of the toasts, in the frame of the pages. Screen readers announce new ones. */
export const Toasts = () => {
  const toasts = useObservable(allToasts)
  return (
    <section aria-label="Messages" aria-live="polite" className="toasts">
      {toasts.length > 0 && (
        <ol>
          {toasts.map((toast) => (
            <ToastCard key={toast.id} toast={toast} />
          ))}
        </ol>
      )}
    </section>
  )
}
