import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { Icon, type IconName } from './icon.tsx'

/** The look of a button. Use one `primary` per page, and `danger` for acts that cannot be undone. */
export type ButtonLook = {
  tone?: 'plain' | 'primary' | 'danger' | 'quiet'
  size?: 'normal' | 'small'
  icon?: IconName
}

export const toButtonClass = ({ tone = 'plain', size = 'normal' }: ButtonLook): string =>
  ['button', tone === 'plain' ? '' : tone, size === 'small' ? 'small' : ''].filter(Boolean).join(' ')

type ButtonProps = ButtonLook & {
  /** Its action is running: the button keeps its label and focus, but does nothing. */
  isBusy?: boolean
  ref?: Ref<HTMLButtonElement>
  children: ReactNode
} & ButtonHTMLAttributes<HTMLButtonElement>

/** Does something on this page. Use a `LinkButton` to open another page. */
export const Button = ({ tone, size, icon, isBusy = false, children, onClick, type, ...button }: ButtonProps) => (
  <button
    {...button}
    type={type ?? 'button'}
    className={toButtonClass({ ...(tone && { tone }), ...(size && { size }) })}
    aria-disabled={isBusy || undefined}
    onClick={isBusy ? undefined : onClick}
  >
    {icon && <Icon name={icon} />}
    {children}
  </button>
)

type IconButtonProps = { icon: IconName; label: string; ref?: Ref<HTMLButtonElement> } & Omit<
  ButtonHTMLAttributes<HTMLButtonElement>,
  'children'
>

/** A button with an icon only, for well-known actions. `label` is its tooltip and its name for screen readers. */
export const IconButton = ({ icon, label, ...button }: IconButtonProps) => (
  <button title={label} {...button} type="button" className="icon-button" aria-label={label}>
    <Icon name={icon} />
  </button>
)
