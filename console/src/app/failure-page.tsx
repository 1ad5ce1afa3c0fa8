import type { ErrorComponentProps } from '@tanstack/react-router'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Button } from '../components/button.tsx'
import { FailureNotice, Notice } from '../components/notice.tsx'
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
