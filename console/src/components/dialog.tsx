import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { IconButton } from './button.tsx'
import { LossProvider, useKeptTyping } from './use-kept-typing.tsx'

type DialogProps = {
  isOpen: boolean
  title: string
  description?: ReactNode
  onClose: () => void
  /** Its buttons, the primary one last. */
  footer?: ReactNode
  size?: 'small' | 'normal' | 'wide'
  /** Closes without a question even if something was typed. */
  isForgetful?: boolean
  children?: ReactNode
}

/**
 * A task in front of the page: a form, a choice, a secret. It traps the focus and returns it when it closes. Escape closes it,
 * after a question if something was typed. Use a `Drawer` for content next to the page, and a `ConfirmDialog` for a confirmation.
 */
export const Dialog = (props: DialogProps) => {
  const { isOpen, title, description, onClose, footer, size = 'normal', isForgetful, children } = props
  const { close, reportLoss, fields, question } = useKeptTyping(onClose)
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => open || (isForgetful ? onClose() : close())}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className={`dialog ${size}`} {...fields}>
          <div className="dialog-head">
            <Base.Title>{title}</Base.Title>
            <Base.Close render={<IconButton icon="close" label="Close" />} />
          </div>
          {description && <Base.Description className="dialog-description">{description}</Base.Description>}
          <div className="dialog-body">
            <LossProvider value={reportLoss}>{children}</LossProvider>
          </div>
          {question}
          {footer && <div className="dialog-foot">{footer}</div>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

type DrawerProps = {
  isOpen: boolean
  title: string
  onClose: () => void
  side?: 'right' | 'left'
  actions?: ReactNode
  children: ReactNode
}

/** A panel next to the page, as high as the window: the details of a row, or the menu on a narrow screen. */
export const Drawer = ({ isOpen, title, onClose, side = 'right', actions, children }: DrawerProps) => {
  const { close, fields, question } = useKeptTyping(onClose)
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => open || close()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className={`drawer ${side}`} {...fields}>
          <div className="dialog-head">
            <Base.Title>{title}</Base.Title>
            {actions}
            <Base.Close render={<IconButton icon="close" label="Close" />} />
          </div>
          <div className="drawer-body">{children}</div>
          {question}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
