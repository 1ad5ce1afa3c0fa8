import { MutationCache, QueryClient } from '@tanstack/react-query'
import { showFailure } from '../components/toast.ts'

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** The title of the error toast: "Not published". Without it, the page shows the error in place. */
      failure?: string
    }
  }
}

/**
 * The cache of what was read. The SDK repeats what may pass by itself, so a failure that arrives here is one to show. What a
 * live stream tells of is invalidated (`live.ts`); the rest is asked again when somebody comes back to the page. An act that
 * fails is reported once, with the request id: in place, or as a toast.
 */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, { meta }) => {
        if (meta?.failure !== undefined) showFailure(error, meta.failure)
      },
    }),
    defaultOptions: {
      queries: { retry: false, staleTime: 5_000, gcTime: 5 * 60_000, refetchOnWindowFocus: true },
      mutations: { retry: false },
    },
  })
