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
 * The cache of loaded data. The SDK retries temporary failures, so a failure that arrives here is shown. Events of a live stream
 * invalidate queries (`live.ts`); other queries reload when the person returns to the page. A failed act is reported once, with
 * the request id: in place, or as a toast. A browser without a network still reaches a service on its own machine, so no call waits
 * for the network.
 */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, { meta }) => {
        if (meta?.failure !== undefined) showFailure(error, meta.failure)
      },
    }),
    defaultOptions: {
      queries: {
        retry: false,
        networkMode: 'always',
        staleTime: 5_000,
        gcTime: 5 * 60_000,
        refetchOnWindowFocus: true,
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
