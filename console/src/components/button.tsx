import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { Icon, type IconName } from './icon.tsx'

/** How a button looks: what it does is told by its words. One `primary` a page, `danger` for what cannot be taken back. */
export type ButtonLook = {
  tone?: 'plain' | 'primary' | 'danger' | 'quiet'
  size?: 'normal' | 'small'
  icon?: IconName
}

export const toButtonClass = ({ tone = 'plain', size = 'normal' }: ButtonLook): string =>
  ['button', tone === 'plain' ? '' : tone, size === 'small' ? 'small' : ''].filter(Boolean).join(' ')

type ButtonProps = ButtonLook & {
  /** What it began is under way: it can be read and reached, but does nothing. */
  isBusy?: boolean
  ref?: Ref<HTMLButtonElement>
  children: ReactNode
} & ButtonHTMLAttributes<HTMLButtonElement>

/** Does something on this page. What leads to another page is a `LinkButton`. */
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

/** A button without words, for what everybody knows by its drawing. `label` is what it is called, on hover and by ear. */
export const IconButton = ({ icon, label, ...button }: IconButtonProps) => (
  <button title={label} {...button} type="button" className="icon-button" aria-label={label}>
    <Icon name={icon} />
  </button>
)
