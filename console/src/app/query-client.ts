import { QueryClient } from '@tanstack/react-query'

/**
 * The cache of what was read. The SDK repeats what may pass by itself, so a failure that arrives here is one to show. What a
 * live stream tells of is invalidated (`live.ts`); the rest is asked again when somebody comes back to the page.
 */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: { retry: false, staleTime: 5_000, gcTime: 5 * 60_000, refetchOnWindowFocus: true },
      mutations: { retry: false },
    },
  })
