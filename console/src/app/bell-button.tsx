import type { ButtonHTMLAttributes, Ref } from 'react'
import { Icon } from '../components/icon.tsx'

type BellButtonProps = { unread: number; ref?: Ref<HTMLButtonElement> } & ButtonHTMLAttributes<HTMLButtonElement>

/** The bell, with the number of unread notifications. */
export const BellButton = ({ unread, ...button }: BellButtonProps) => (
  <button {...button} type="button" className="icon-button" aria-label={`Notifications: ${unread} unread`}>
    <Icon name="bell" />
    {unread > 0 && (
      <span className="unread-count" aria-hidden="true">
        {unread > 99 ? '99+' : unread}
      </span>
    )}
  </button>
)
