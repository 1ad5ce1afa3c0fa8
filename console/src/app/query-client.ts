import { MutationCache, QueryClient } from '@tanstack/react-query'
import { showFailure } from '../components/toast.ts'

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** What is told over the page when it fails: "Not published". Without it, its failure is shown in its place on the page. */
      failure?: string
    }
  }
}

/**
 * The cache of what was read. The SDK repeats what may pass by itself, so a failure that arrives here is one to show. What a
 * live stream tells of is invalidated (`live.ts`); the rest is asked again when somebody comes back to the page. An act that
 * fails is told once, with the request id: in its place, or over the page.
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
