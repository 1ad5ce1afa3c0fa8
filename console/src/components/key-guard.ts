// Decides which key presses are shortcuts. Every shortcut of a letter asks here, so that none fires by accident.

/** The pause after a change of the page in which a key may still be meant for what was there before. */
const pauseMilliseconds = 1_000

/** A second in which keys do nothing. */
export const createPause = () => {
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    start: () => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        timer = undefined
      }, pauseMilliseconds)
    },
    isOn: () => timer !== undefined,
  }
}

const fields = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true]'

/** True if the focused element uses letters itself. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest(fields) !== null

const overlays = ':is([role=dialog], [role=menu], [role=alertdialog]):not([data-closed])'

/** True if an overlay is open. A closed one stays in the DOM for a moment. */
export const isCovered = (): boolean => document.querySelector(overlays) !== null

const afterField = createPause()

/** True if the key closes what the field is part of, so that the person knows that the field goes away. */
const isClosing = ({ key, target, ctrlKey, metaKey }: KeyboardEvent): boolean =>
  key === 'Escape' || (key === 'Enter' && (ctrlKey || metaKey || !(target instanceof HTMLTextAreaElement)))

// A person goes on typing for a moment if something else removes the field that they type into.
const watchFields = () => {
  let field: Element | undefined
  let isClosed = false
  const check = () => {
    if (!field || field.isConnected) return
    stop()
    if (!isClosed) afterField.start()
  }
  const observer = new MutationObserver(check)
  const stop = () => {
    field = undefined
    observer.disconnect()
  }
  document.addEventListener('focusin', ({ target }) => {
    stop()
    if (!(target instanceof Element) || !isTyping(target)) return
    field = target
    isClosed = false
    observer.observe(document, { childList: true, subtree: true })
  })
  // Chromium reports a lost focus before it removes the element.
  document.addEventListener('focusout', () =>
    queueMicrotask(() => {
      check()
      if (field !== document.activeElement) stop()
    }),
  )
  document.addEventListener('keydown', (event) => (isClosed = isClosing(event)), { capture: true })
}
watchFields()

/** True if a key press is a shortcut of the page: not typed into a field, or into one that has just vanished, or over an overlay. */
export const isShortcut = (event: KeyboardEvent): boolean => {
  if (event.altKey || event.ctrlKey || event.metaKey || isTyping(event.target) || isCovered()) return false
  if (!afterField.isOn()) return true
  // The rest of the sentence may take longer than the pause.
  afterField.start()
  return false
}
