import { useRouterState } from '@tanstack/react-router'

/** The path of the page that is open, or that is being opened. */
export const usePathname = (): string => useRouterState({ select: ({ location }) => location.pathname })
