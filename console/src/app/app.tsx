import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { notifyAddress } from '../address.tsx'
import { later } from '../components/later.tsx'
import type { User } from '../session/auth.ts'
import { SessionProvider } from '../session/session.tsx'
import { createQueryClient } from './query-client.ts'
import { createAppRouter } from './router.tsx'

const NoOrganization = later(async () => (await import('../views/settings/no-organization.tsx')).NoOrganization)

/** Every page behind the sign-in. */
export const App = ({ user }: { user: User }) => {
  const [queryClient] = useState(createQueryClient)
  const [router] = useState(createAppRouter)
  useEffect(() => {
    const stop = router.history.subscribe(notifyAddress)
    return () => {
      stop()
      router.history.destroy()
    }
  }, [router])
  return (
    // The content security policy forbids style elements: all styles are in the style sheets.
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <SessionProvider user={user} noOrganization={<NoOrganization />}>
          <RouterProvider router={router} />
        </SessionProvider>
      </QueryClientProvider>
    </CSPProvider>
  )
}
