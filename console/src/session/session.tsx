import type { Client } from '@noema/sdk'
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { createContext, useCallback, useContext, useMemo, useState } from 'react'
import { baseUrl } from '../base-path.ts'
import { FailureNotice } from '../components/notice.tsx'
import { Opening } from '../components/opening.tsx'
import { loadPart } from '../parts/part.ts'
import type { User } from './auth.ts'
import { watchedFetch } from './ended-session.ts'
import { rememberedOrganization, rememberOrganization } from './remembered.ts'

type Organization = { id: string; name: string }

/** The signed-in person and their organization, which every page uses. */
export type Session = {
  user: User
  /** The id of the person in changes and audit entries. */
  userId: string
  /** True if the person administers the whole service. */
  isAdministrator: boolean
  organization: Organization
  organizations: readonly Organization[]
  chooseOrganization: (id: string) => void
  /** Calls the service with the session's cookie, in this organization. */
  client: Client
}

const whoamiQuery = () =>
  queryOptions({
    queryKey: ['whoami'],
    // The SDK is loaded in parallel with the frame: `entry.tsx` requests both at once.
    queryFn: async ({ signal }) => {
      const { createClient } = await loadPart(() => import('@noema/sdk'))
      return { createClient, ...(await createClient({ baseUrl, fetch: watchedFetch }).whoami({ signal })) }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

const SessionContext = createContext<Session | undefined>(undefined)

type Known = Pick<Session, 'user' | 'userId' | 'isAdministrator' | 'organizations'>
type MakeClient = (options: { baseUrl: string; headers: Record<string, string>; fetch: typeof fetch }) => Client
type OpenedProps = { known: Known; createClient: MakeClient; first: Organization; children: ReactNode }

const OpenedSession = ({ known, createClient, first, children }: OpenedProps) => {
  const [chosen, setChosen] = useState(rememberedOrganization)
  const organization = known.organizations.find(({ id }) => id === chosen) ?? first
  const chooseOrganization = useCallback((id: string) => {
    rememberOrganization(id)
    setChosen(id)
  }, [])
  const client = useMemo(
    () => createClient({ baseUrl, headers: { 'x-organization-id': organization.id }, fetch: watchedFetch }),
    [organization.id, createClient],
  )
  const session = useMemo(
    () => ({ ...known, organization, chooseOrganization, client }),
    [known, organization, chooseOrganization, client],
  )
  return <SessionContext value={session}>{children}</SessionContext>
}

type SessionProviderProps = {
  user: User
  /** Shown in place of the pages to a person without an organization. */
  noOrganization: ReactNode
  children: ReactNode
}

/** Loads the organizations of the person, then shows the pages of one of them. */
export const SessionProvider = ({ user, noOrganization, children }: SessionProviderProps) => {
  const { data, error } = useQuery(whoamiQuery())
  const known = useMemo(
    () =>
      data && {
        user,
        userId: data.user?.id ?? '',
        isAdministrator: data.administrator,
        organizations: data.organizations,
      },
    [data, user],
  )
  if (error) return <FailureNotice error={error} />
  if (!known || !data) return <Opening />
  const [first] = known.organizations
  if (!first) return noOrganization
  return (
    <OpenedSession known={known} createClient={data.createClient} first={first}>
      {children}
    </OpenedSession>
  )
}

/** The session that the page works in. */
export const useSession = (): Session => {
  const session = useContext(SessionContext)
  if (!session) throw new Error('useSession must be used inside SessionProvider.')
  return session
}
