import { useRouterState } from '@tanstack/react-router'

/** A line across the top while the next page is loaded. */
export const LoadingBar = () => {
  const isLoading = useRouterState({ select: ({ status }) => status === 'pending' })
  return <div className="loading-bar" data-loading={isLoading || undefined} aria-hidden="true" />
}
