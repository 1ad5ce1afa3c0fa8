import type { ButtonHTMLAttributes, Ref } from 'react'
import { Icon } from '../components/icon.tsx'

type OrganizationButtonProps = { name: string; ref?: Ref<HTMLButtonElement> } & ButtonHTMLAttributes<HTMLButtonElement>

/** Shows the current organization, and opens the list of the others. */
export const OrganizationButton = ({ name, ...button }: OrganizationButtonProps) => (
  <button {...button} type="button" className="organization" aria-label={`Organization: ${name}`}>
    <span>{name}</span>
    <Icon name="down" />
  </button>
)
