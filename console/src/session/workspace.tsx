import { type Client, createClient } from '@noema/sdk'
import type { ReactNode } from 'react'
import { createContext, useCallback, useContext, useMemo, useState } from 'react'
import { Loading } from '../components/loading.tsx'
import { FailureNotice } from '../components/notice.tsx'
import { useLoaded } from '../components/use-loaded.ts'
import type { User } from './auth.ts'
import { rememberedOrganization, rememberOrganization } from './remembered.ts'
import { type StoredKey, useStoredKey } from './stored-key.ts'

type Organization = { id: string; name: string }

/** What the pages of somebody signed in work with. */
export type Workspace = {
  user: User
  organizations: readonly Organization[]
  organization: Organization
  chooseOrganization: (id: string) => void
  /** Speaks with the session's cookie: management keys. */
  sessionClient: Client
  /** The management key in the page's memory, and the client that speaks with it. */
  key: StoredKey | undefined
  keyClient: Client | undefined
}

/** Where the service is, as the page and the code examples call it. */
export const baseUrl = location.origin

const WorkspaceContext = createContext<Workspace | undefined>(undefined)

type OpenedProps = { user: User; organizations: readonly Organization[]; first: Organization; children: ReactNode }

const OpenedWorkspace = ({ user, organizations, first, children }: OpenedProps) => {
  const [chosen, setChosen] = useState(rememberedOrganization)
  const organization = organizations.find(({ id }) => id === chosen) ?? first
  const key = useStoredKey(organization.id)
  const chooseOrganization = useCallback((id: string) => {
    rememberOrganization(id)
    setChosen(id)
  }, [])
  const sessionClient = useMemo(
    () => createClient({ baseUrl, headers: { 'x-organization-id': organization.id } }),
    [organization.id],
  )
  const secret = key?.secret
  const keyClient = useMemo(
    () => (secret === undefined ? undefined : createClient({ baseUrl, apiKey: secret })),
    [secret],
  )
  const workspace = useMemo(
    () => ({ user, organizations, organization, chooseOrganization, sessionClient, key, keyClient }),
    [user, organizations, organization, chooseOrganization, sessionClient, key, keyClient],
  )
  return <WorkspaceContext value={workspace}>{children}</WorkspaceContext>
}

/** Asks which organizations the person belongs to, then shows the pages of one of them. */
export const WorkspaceProvider = ({ user, children }: { user: User; children: ReactNode }) => {
  const load = useCallback((signal: AbortSignal) => createClient({ baseUrl }).whoami({ signal }), [])
  const { data, error } = useLoaded(load)
  if (error !== undefined) return <FailureNotice error={error} />
  if (!data) return <Loading />
  const [first] = data.organizations
  if (!first)
    return (
      <FailureNotice error={new Error('This account is not a member of any organization. Ask for an invitation.')} />
    )
  return (
    <OpenedWorkspace user={user} organizations={data.organizations} first={first}>
      {children}
    </OpenedWorkspace>
  )
}

export const useWorkspace = (): Workspace => {
  const workspace = useContext(WorkspaceContext)
  if (!workspace) throw new Error('useWorkspace stands outside of WorkspaceProvider.')
  return workspace
}
