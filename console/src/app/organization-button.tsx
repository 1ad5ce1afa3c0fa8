import type { ButtonHTMLAttributes, Ref } from 'react'
import { Icon } from '../components/icon.tsx'

type OrganizationButtonProps = { name: string; ref?: Ref<HTMLButtonElement> } & ButtonHTMLAttributes<HTMLButtonElement>

/** Says which organization the pages are of, and opens the list of those there are. */
export const OrganizationButton = ({ name, ...button }: OrganizationButtonProps) => (
  <button {...button} type="button" className="organization" aria-label={`Organization: ${name}`}>
    <span>{name}</span>
    <Icon name="down" />
  </button>
)
