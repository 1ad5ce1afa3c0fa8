import '../../styles/account.css'
import '../../styles/settings.css'
import { Outlet } from '@tanstack/react-router'
import { LinkTabs, TabLink } from '../../components/link-tabs.tsx'
import { listSettingsPlaces } from '../../places.ts'

/** The frame of the settings pages, with links to each. */
export const SettingsFrame = () => (
  <div className="page settings-page">
    <LinkTabs label="Settings">
      {listSettingsPlaces().map(({ name, to }) => (
        <TabLink key={to} to={to} activeOptions={{ includeSearch: false }}>
          {name}
        </TabLink>
      ))}
    </LinkTabs>
    <Outlet />
  </div>
)
