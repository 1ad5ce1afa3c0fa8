import { Popover } from '@base-ui/react/popover'
import { useState } from 'react'
import { NotificationList } from '../views/settings/notification-list.tsx'
import { BellButton } from './bell-button.tsx'

/** The newest notifications, opened by the bell. The component is loaded by a press of the bell, so it starts open. */
export const Bell = ({ unread }: { unread: number }) => {
  const [isOpen, setOpen] = useState(true)
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger render={<BellButton unread={unread} />} />
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="end" className="popup-position">
          <Popover.Popup className="popover bell" aria-label="Notifications">
            <NotificationList onLeave={() => setOpen(false)} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
