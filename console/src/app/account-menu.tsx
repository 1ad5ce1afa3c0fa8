import { useRouter } from '@tanstack/react-router'
import { baseUrl } from '../base-path.ts'
import { IconButton } from '../components/button.tsx'
import { Menu } from '../components/menu.tsx'
import { showFailure } from '../components/toast.ts'
import { findPage } from '../pages.ts'
import { signOut } from '../session/auth.ts'
import { useSession } from '../session/session.tsx'

/** Signs out with a full page load, so that nothing stays in memory. */
const leave = async () => {
  try {
    await signOut()
  } catch (error) {
    showFailure(error, 'Not signed out')
    return
  }
  // A browser may restore the page from its cache.
  addEventListener('pageshow', () => location.reload())
  location.assign(`${baseUrl}/sign-in`)
}

/** The items of the person, not of the organization. */
export const AccountMenu = ({ onShortcuts }: { onShortcuts: () => void }) => {
  const { user } = useSession()
  const router = useRouter()
  const account = findPage('/account')
    ? [{ name: 'Account', icon: 'user' as const, onSelect: () => void router.navigate({ href: '/account' }) }]
    : []
  return (
    <Menu
      isOpenAtFirst
      trigger={<IconButton icon="user" label={`Account: ${user.email}`} />}
      items={[
        { group: user.email },
        ...account,
        { name: 'Keyboard shortcuts', icon: 'info', onSelect: onShortcuts },
        { name: 'Documentation', icon: 'document', onSelect: () => location.assign(`${baseUrl}/docs`) },
        'line',
        { name: 'Sign out', icon: 'back', onSelect: () => void leave() },
      ]}
    />
  )
}
