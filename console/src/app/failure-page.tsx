import type { ErrorComponentProps } from '@tanstack/react-router'
import { Link, useRouter, useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Button } from '../components/button.tsx'
import { FailureNotice, Notice } from '../components/notice.tsx'
import { findHandle } from '../navigation.ts'
import { reloadOnce } from '../parts/build.ts'
import { PartError } from '../parts/load-part.ts'

/** A view without its files. The first time, the page reloads by itself. */
const PartFailure = ({ error }: { error: PartError }) => {
  const [isReloading, setReloading] = useState(true)
  useEffect(() => setReloading(reloadOnce()), [])
  if (isReloading) return null
  return (
    <Notice tone="warning" title={error.isOutdated ? 'The console was updated' : 'This page could not be loaded'}>
      <p>{error.message}</p>
      <Button size="small" icon="refresh" onClick={() => location.reload()}>
        Reload
      </Button>
    </Notice>
  )
}

/** Shown in place of a page that failed: the error, and the next step. The frame keeps working. */
export const FailurePage = ({ error, reset }: ErrorComponentProps) => {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  return (
    <div className="page">
      {error instanceof PartError ? (
        <PartFailure error={error} />
      ) : (
        <>
          <h1>This page failed</h1>
          <FailureNotice error={error} onRetry={retry} />
        </>
      )}
    </div>
  )
}

/** A URL that is none of the pages: the address, and ways on. */
export const NoSuchPage = () => {
  const pathname = useRouterState({ select: ({ location }) => location.pathname })
  const handle = findHandle(pathname)
  return (
    <div className="page">
      <h1>Page not found</h1>
      <p className="lead">
        There is no page at <code>{pathname}</code>. The address may be mistyped, or the page has moved.
      </p>
      <div className="actions">
        <Link to="/" className="button primary">
          Go to the home page
        </Link>
        {handle !== undefined && (
          <Link to="/brains/$handle" params={{ handle }} className="button">
            Open the Brain {handle}
          </Link>
        )}
        <Link to="/brains" className="button">
          All Brains
        </Link>
      </div>
    </div>
  )
}
