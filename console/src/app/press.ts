import type { MouseEvent } from 'react'

/**
 * Makes a button act on mouse down, as the button of a menu does. If another button replaces it before the mouse is released, it
 * gets no click. The keyboard sends a click.
 */
export const toPress = (act: () => void) => ({
  onClick: act,
  onMouseDown: ({ button }: MouseEvent) => {
    if (button === 0) act()
  },
})
