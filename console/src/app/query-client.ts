import { MutationCache, QueryClient } from '@tanstack/react-query'
import { showFailure } from '../components/toast.ts'

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** What is told when it fails: "Not published". */
      failure?: string
      /** Its failure is shown in its place on the page. */
      isQuiet?: boolean
    }
  }
}

/**
 * The cache of what was read. The SDK repeats what may pass by itself, so a failure that arrives here is one to show. What a
 * live stream tells of is invalidated (`live.ts`); the rest is asked again when somebody comes back to the page. An act that
 * fails is told over the page, with the request id, wherever its button was.
 */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, { meta }) => {
        if (!meta?.isQuiet) showFailure(error, meta?.failure ?? 'That did not work')
      },
    }),
    defaultOptions: {
      queries: { retry: false, staleTime: 5_000, gcTime: 5 * 60_000, refetchOnWindowFocus: true },
      mutations: { retry: false },
    },
  })
