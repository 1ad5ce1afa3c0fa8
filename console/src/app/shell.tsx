import { Outlet, useRouterState } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { later } from '../components/later.tsx'
import { toasts } from '../components/toast.ts'
import { findHandle } from '../navigation.ts'
import { useObservable } from '../observable.ts'
import { isSignedOut } from '../session/ended-session.ts'
import { limitedUntil } from '../session/rate-limit.ts'
import { works } from '../session/works.ts'
import { LiveBrain } from './live-brain.tsx'
import { LoadingBar } from './loading-bar.tsx'
import { Shortcuts } from './shortcuts.ts'
import { Sidebar } from './sidebar.tsx'
import { TopBar } from './top-bar.tsx'
import { useAnnouncedPage } from './use-announced-page.ts'

// Overlays are loaded when they open.
const Palette = later(async () => (await import('./palette.tsx')).Palette)
const ShortcutSheet = later(async () => (await import('./shortcut-sheet.tsx')).ShortcutSheet)
const SideDrawer = later(async () => (await import('./side-drawer.tsx')).SideDrawer)
const Toasts = later(async () => (await import('../components/toasts.tsx')).Toasts)
const RateLimitNotice = later(async () => (await import('./rate-limit-notice.tsx')).RateLimitNotice)
const SignedOutDialog = later(async () => (await import('./signed-out-dialog.tsx')).SignedOutDialog)
const WorkTray = later(async () => (await import('./work-tray.tsx')).WorkTray)

/** The overlays: toasts, background work, the wait after too many requests, and the sign-in after the end of the session. */
const Over = () => {
  const hasToasts = useObservable(toasts).length > 0
  const hasWork = useObservable(works).length > 0
  const limited = useObservable(limitedUntil)
  const signedOut = useObservable(isSignedOut)
  return (
    <>
      {signedOut && <SignedOutDialog />}
      {limited !== undefined && <RateLimitNotice until={limited} />}
      {hasWork && <WorkTray />}
      {hasToasts && <Toasts />}
    </>
  )
}

/** The frame of every page behind the sign-in. */
export const Shell = () => {
  const [open, setOpen] = useState<'palette' | 'sheet' | 'menu'>()
  const handle = useRouterState({ select: ({ location }) => findHandle(location.pathname) })
  const close = useCallback(() => setOpen(undefined), [])
  const openPalette = useCallback(() => setOpen('palette'), [])
  const openSheet = useCallback(() => setOpen('sheet'), [])
  useAnnouncedPage()
  return (
    <div className="app">
      <a href="#main" className="skip-link">
        Skip to the content
      </a>
      <LoadingBar />
      <Sidebar />
      <div className="app-main">
        <TopBar onMenu={() => setOpen('menu')} onPalette={openPalette} onShortcuts={openSheet} />
        <main id="main" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <Over />
      <Shortcuts onPalette={openPalette} onSheet={openSheet} />
      {handle !== undefined && <LiveBrain key={handle} handle={handle} />}
      {open === 'palette' && <Palette onClose={close} />}
      {open === 'sheet' && <ShortcutSheet onClose={close} />}
      {open === 'menu' && <SideDrawer onClose={close} />}
    </div>
  )
}
