import { type SyntheticEvent, useRef, useState } from 'react'
import { Button } from './button.tsx'

type TextField = HTMLInputElement | HTMLTextAreaElement

const kept: readonly string[] = ['text', 'email', 'url', 'tel', 'number', 'password', 'date', 'datetime-local']

const isTextField = (target: EventTarget): target is TextField =>
  target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && kept.includes(target.type))

const takeFocus = (button: HTMLButtonElement | null) => button?.focus()

/**
 * Asks before a dialog discards typed text: on Escape, on the close button, or on a click outside it. A Cancel button needs no
 * further question.
 */
export const useKeptTyping = (onClose: () => void) => {
  const [isAsking, setAsking] = useState(false)
  const found = useRef(new Map<TextField, string>())
  const last = useRef<Element | null>(null)
  // The value of each field at its first focus. Any other value now was typed.
  const note = ({ target }: SyntheticEvent) => {
    if (isTextField(target) && !found.current.has(target)) found.current.set(target, target.value)
  }
  const hasTyped = () => [...found.current].some(([field, before]) => field.isConnected && field.value !== before)
  const goOn = () => {
    setAsking(false)
    if (last.current instanceof HTMLElement) last.current.focus()
  }
  const discard = () => {
    setAsking(false)
    onClose()
  }
  const close = () => {
    if (isAsking) return goOn()
    if (!hasTyped()) return onClose()
    last.current = document.activeElement
    setAsking(true)
  }
  return {
    close,
    fields: { onFocus: note, onKeyDown: note },
    question: isAsking && (
      <div className="dialog-lose" role="alert">
        <p>Your changes will be lost.</p>
        <Button tone="danger" size="small" onClick={discard}>
          Discard
        </Button>
        <Button size="small" onClick={goOn} ref={takeFocus}>
          Keep editing
        </Button>
      </div>
    ),
  }
}
