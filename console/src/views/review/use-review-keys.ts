import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { createPause, isShortcut } from '../../components/key-guard.ts'

/** The action of each key. A key without an action is omitted. */
export type ReviewKeys = Readonly<Record<string, (() => void) | undefined>>

/** `g` begins a shortcut of the whole console: this page ignores the next key. */
const maxPause = 1_200

/** Enter presses a focused button. */
const isPressed = ({ key, target }: KeyboardEvent): boolean =>
  key === 'Enter' && target instanceof Element && target.closest('a, button, summary, input') !== null

/** Keys that work anywhere on the page, except while typing or in a dialog. `mayAct` can refuse a press. */
export const useReviewKeys = (keys: ReviewKeys, mayAct: (event: KeyboardEvent) => boolean = () => true): void => {
  const latest = useRef({ keys, mayAct })
  latest.current = { keys, mayAct }
  // A key works, or is held back, from the moment in which what it is about is shown.
  useLayoutEffect(() => {
    let shortcutAt = Number.NEGATIVE_INFINITY
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isPressed(event) || !isShortcut(event)) return
      const isSecond = event.timeStamp - shortcutAt < maxPause
      shortcutAt = event.key === 'g' && !isSecond ? event.timeStamp : Number.NEGATIVE_INFINITY
      const act = isSecond || !latest.current.mayAct(event) ? undefined : latest.current.keys[event.key]
      if (!act) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}

type Shown = { panel: RefObject<Element | null>; version: string }

/** Keys that decide: only about a visible panel that has not just changed, and once for each press. */
export const useDecisionKeys = (keys: ReviewKeys, { panel, version }: Shown): void => {
  const [pause] = useState(createPause)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version is another panel
  useLayoutEffect(() => pause.start(), [pause, version])
  useReviewKeys(keys, ({ repeat }) => !repeat && !pause.isOn() && panel.current?.checkVisibility() === true)
}
