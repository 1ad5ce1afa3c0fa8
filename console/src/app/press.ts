import type { MouseEvent } from 'react'

/**
 * What makes a button act as soon as it is held down, as the button of a menu does. One that another takes the place of before
 * it is let go is never clicked. The keyboard clicks.
 */
export const toPress = (act: () => void) => ({
  onClick: act,
  onMouseDown: ({ button }: MouseEvent) => {
    if (button === 0) act()
  },
})
