import { useEffect, useRef } from 'react'

/** The action of each key. A key without an action is omitted. */
export type ReviewKeys = Readonly<Record<string, (() => void) | undefined>>

/** `g` begins a shortcut of the whole console: this page ignores the next key. */
const maxPause = 1_200

const isTaken = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('input:not([type=checkbox]), textarea, select, [contenteditable=true]') !== null

const isCovered = (): boolean => document.querySelector('[role=dialog], [role=menu], [role=alertdialog]') !== null

/** Keys that work anywhere on the page, except while typing or in a dialog. */
export const useReviewKeys = (keys: ReviewKeys): void => {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    let shortcutAt = Number.NEGATIVE_INFINITY
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return
      if (isTaken(event.target) || isCovered()) return
      const isSecond = event.timeStamp - shortcutAt < maxPause
      shortcutAt = event.key === 'g' && !isSecond ? event.timeStamp : Number.NEGATIVE_INFINITY
      const act = isSecond ? undefined : latest.current[event.key]
      if (!act) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}
