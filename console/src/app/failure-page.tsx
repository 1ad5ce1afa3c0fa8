import type { ErrorComponentProps } from '@tanstack/react-router'
import { Button } from '../components/button.tsx'
import { FailureNotice, Notice } from '../components/notice.tsx'

/** A view whose file is gone: the service was updated while the page was open. */
const isOutdated = (error: unknown): boolean =>
  error instanceof Error && /dynamically imported module|module script failed/i.test(error.message)

/** In place of a page that failed: what went wrong, and what to do. The frame around it goes on working. */
export const FailurePage = ({ error, reset }: ErrorComponentProps) => (
  <div className="page">
    {isOutdated(error) ? (
      <Notice tone="warning" title="The console was updated">
        <p>This page is of a version that the service no longer has. Load it again.</p>
        <Button size="small" icon="refresh" onClick={() => location.reload()}>
          Load again
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

/** An address of an area that is none of its pages. */
export const NoSuchPage = () => (
  <div className="page">
    <h1>There is no such page</h1>
    <p className="lead">The address may be mistyped, or the page has moved.</p>
  </div>
)
