import type { ErrorComponentProps } from '@tanstack/react-router'
import { Button } from '../components/button.tsx'
import { FailureNotice, Notice } from '../components/notice.tsx'

/** A view whose file is gone: the service was updated while the page was open. */
const isOutdated = (error: unknown): boolean =>
  error instanceof Error && /dynamically imported module|module script failed/i.test(error.message)

/** Shown in place of a page that failed: the error, and the next step. The frame keeps working. */
export const FailurePage = ({ error, reset }: ErrorComponentProps) => (
  <div className="page">
    {isOutdated(error) ? (
      <Notice tone="warning" title="The console was updated">
        <p>The service has been updated. Reload this page.</p>
        <Button size="small" icon="refresh" onClick={() => location.reload()}>
          Reload
        </Button>
      </Notice>
    ) : (
      <>
        <h1>This page failed</h1>
        <FailureNotice error={error} onRetry={reset} />
      </>
    )}
  </div>
)

/** A URL in an area that is none of its pages. */
export const NoSuchPage = () => (
  <div className="page">
    <h1>Page not found</h1>
    <p className="lead">The address may be mistyped, or the page has moved.</p>
  </div>
)
