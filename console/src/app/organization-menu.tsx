import { useRouter } from '@tanstack/react-router'
import { Menu } from '../components/menu.tsx'
import { useSession } from '../session/session.tsx'
import { OrganizationButton } from './organization-button.tsx'

/** Switches to another organization of the person. */
export const OrganizationMenu = () => {
  const { organization, organizations, chooseOrganization } = useSession()
  const router = useRouter()
  const choose = (id: string) => {
    chooseOrganization(id)
    void router.navigate({ to: '/' })
  }
  return (
    <Menu
      align="start"
      isOpenAtFirst
      trigger={<OrganizationButton name={organization.name} />}
      items={[
        { group: 'Organizations' },
        ...organizations.map(({ id, name }) => ({
          name,
          isCurrent: id === organization.id,
          onSelect: () => choose(id),
        })),
      ]}
    />
  )
}
