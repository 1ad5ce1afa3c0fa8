import '../../styles/admin.css'
import { type ReactNode, useEffect } from 'react'
import { LinkTabs, TabLink } from '../../components/link-tabs.tsx'
import { Notice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { useSession } from '../../session/session.tsx'

type AdminPageProps = {
  title: ReactNode
  lead?: ReactNode
  badges?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** The operator pages for everyone who is not an administrator. */
const NotYours = () => {
  const { user } = useSession()
  return (
    <Notice tone="warning" title="This page is for administrators of the service">
      <p>
        You are signed in as <strong>{user.email}</strong>, which is not one of them. They are the accounts with a
        confirmed address that the setting <code>NOEMA_ADMIN_EMAILS</code> lists; if it is empty, the first account of
        the service.
      </p>
    </Notice>
  )
}

/** Tabs that do not fit are scrolled to the one that is open. */
const useShownTab = (isShown: boolean) => {
  useEffect(() => {
    if (isShown)
      document
        .querySelector('nav[aria-label=Administration] [aria-current=page]')
        ?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [isShown])
}

/** An operator page, with links to the others. Others see which right they lack. */
export const AdminPage = ({ title, lead, badges, actions, children }: AdminPageProps) => {
  const { isAdministrator } = useSession()
  useShownTab(isAdministrator)
  return (
    <div className="page stack">
      <PageHeader title={title} lead={lead} badges={badges} actions={isAdministrator && actions} />
      {isAdministrator && (
        <LinkTabs label="Administration">
          <TabLink to="/admin/requests">Requests</TabLink>
          <TabLink to="/admin/codes">Codes</TabLink>
          <TabLink to="/admin/events">Events</TabLink>
          <TabLink to="/admin/organizations">Organizations</TabLink>
          <TabLink to="/admin/tiers">Tiers</TabLink>
          <TabLink to="/admin/mail">Mail</TabLink>
          <TabLink to="/admin/health">Health</TabLink>
        </LinkTabs>
      )}
      {isAdministrator ? children : <NotYours />}
    </div>
  )
}
