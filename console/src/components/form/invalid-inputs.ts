const isInput = (element: Element): element is HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement =>
  element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement

/** The browser's own validation messages, by the names of the inputs: a required input is empty, a number is not a number. */
export const findInvalidInputs = (form: HTMLFormElement): Record<string, string> => {
  const found: Record<string, string> = {}
  for (const element of form.elements)
    if (isInput(element) && element.name !== '' && !element.validity.valid)
      found[element.name] ??= element.validationMessage
  return found
}

const firstInvalid = '[aria-invalid="true"], [data-invalid] :is(input, select, textarea, button)'

/** Moves the focus to the first field that shows an error, once it is drawn. */
export const focusFirstInvalid = (form: HTMLFormElement): void => {
  requestAnimationFrame(() => form.querySelector<HTMLElement>(firstInvalid)?.focus())
}
