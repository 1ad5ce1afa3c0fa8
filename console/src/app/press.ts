import type { MouseEvent } from 'react'

/**
 * Makes a button open a menu on mouse down, as menus do. If another button replaces it before the mouse is released, it gets no
 * click. The keyboard sends a click.
 */
export const toPress = (act: () => void) => ({
  'aria-haspopup': 'menu' as const,
  onClick: act,
  onMouseDown: ({ button }: MouseEvent) => {
    if (button === 0) act()
  },
})
