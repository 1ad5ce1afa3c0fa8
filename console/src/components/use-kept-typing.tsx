import { createContext, type SyntheticEvent, use, useCallback, useEffect, useRef, useState } from 'react'
import { Button } from './button.tsx'

type TextField = HTMLInputElement | HTMLTextAreaElement

const kept: readonly string[] = ['text', 'email', 'url', 'tel', 'number', 'password', 'date', 'datetime-local']

const isTextField = (target: EventTarget): target is TextField =>
  target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && kept.includes(target.type))

const takeFocus = (button: HTMLButtonElement | null) => button?.focus()

/** Names the loss if the dialog closes now. */
const LossContext = createContext<(words: string | undefined) => void>(() => undefined)

/** Makes the dialog around this component ask before it closes, for as long as there are words. */
export const useLoss = (words: string | undefined): void => {
  const report = use(LossContext)
  useEffect(() => {
    report(words)
    return () => report(undefined)
  }, [report, words])
}

/** The dialog's answer to `useLoss` of what it contains. */
export const LossProvider = LossContext

const typingLost = 'Your changes will be lost.'

/**
 * Asks before a dialog discards typed text, or the loss that `useLoss` names: on Escape, on the close button, or on a click outside
 * it. A Cancel button needs no further question.
 */
export const useKeptTyping = (onClose: () => void) => {
  const [asked, setAsked] = useState<string>()
  const loss = useRef<string | undefined>(undefined)
  const reportLoss = useCallback((words: string | undefined) => {
    loss.current = words
    if (words === undefined) setAsked(undefined)
  }, [])
  const found = useRef(new Map<TextField, string>())
  const last = useRef<Element | null>(null)
  // The value of each field at its first focus. Any other value now was typed.
  const note = ({ target }: SyntheticEvent) => {
    if (isTextField(target) && !found.current.has(target)) found.current.set(target, target.value)
  }
  const hasTyped = () => [...found.current].some(([field, before]) => field.isConnected && field.value !== before)
  const goOn = () => {
    setAsked(undefined)
    if (last.current instanceof HTMLElement) last.current.focus()
  }
  const discard = () => {
    setAsked(undefined)
    onClose()
  }
  const close = () => {
    if (asked !== undefined) return goOn()
    const lost = loss.current ?? (hasTyped() ? typingLost : undefined)
    if (lost === undefined) return onClose()
    last.current = document.activeElement
    setAsked(lost)
  }
  return {
    close,
    reportLoss,
    fields: { onFocus: note, onKeyDown: note },
    question: asked !== undefined && (
      <div className="dialog-lose" role="alert">
        <p>{asked}</p>
        <Button tone="danger" size="small" onClick={discard}>
          {asked === typingLost ? 'Discard' : 'Close anyway'}
        </Button>
        <Button size="small" onClick={goOn} ref={takeFocus}>
          {asked === typingLost ? 'Keep editing' : 'Go back'}
        </Button>
      </div>
    ),
  }
}
