import { Popover as BasePopover } from '@base-ui/react/popover'
import { Tooltip as BaseTooltip } from '@base-ui/react/tooltip'
import type { ReactElement, ReactNode } from 'react'

type PopoverProps = { trigger: ReactElement; label: string; align?: 'start' | 'center' | 'end'; children: ReactNode }

/** A few fields or facts over the page, behind a button: a filter, a legend. */
export const Popover = ({ trigger, label, align = 'end', children }: PopoverProps) => (
  <BasePopover.Root>
    <BasePopover.Trigger render={trigger} />
    <BasePopover.Portal>
      <BasePopover.Positioner sideOffset={4} align={align} className="popup-position">
        <BasePopover.Popup className="popover" aria-label={label}>
          {children}
        </BasePopover.Popup>
      </BasePopover.Positioner>
    </BasePopover.Portal>
  </BasePopover.Root>
)

/** A short explanation on hover and focus. Never the only source of essential information. */
export const Tooltip = ({ text, children }: { text: ReactNode; children: ReactElement }) => (
  <BaseTooltip.Root>
    <BaseTooltip.Trigger render={children} />
    <BaseTooltip.Portal>
      <BaseTooltip.Positioner sideOffset={6} className="popup-position">
        <BaseTooltip.Popup className="tooltip">{text}</BaseTooltip.Popup>
      </BaseTooltip.Positioner>
    </BaseTooltip.Portal>
  </BaseTooltip.Root>
)
