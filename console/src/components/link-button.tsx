import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, ReactNode, Ref } from 'react'
import { type ButtonLook, toButtonClass } from './button.tsx'
import { Icon } from './icon.tsx'

type AnchorProps = ButtonLook & { children: ReactNode; ref?: Ref<HTMLAnchorElement> } & Omit<
    AnchorHTMLAttributes<HTMLAnchorElement>,
    'children'
  >

const ButtonAnchor = ({ tone, size, icon, children, ...anchor }: AnchorProps) => (
  <a {...anchor} className={toButtonClass({ ...(tone && { tone }), ...(size && { size }) })}>
    {icon && <Icon name={icon} />}
    {children}
  </a>
)

/** A link that looks like a button. Takes the properties of the router's `Link`. */
export const LinkButton = createLink(ButtonAnchor)
