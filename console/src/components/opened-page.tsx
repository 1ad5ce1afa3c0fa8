import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { FailureNotice } from './notice.tsx'
import { Skeleton } from './skeleton.tsx'

/** The page of one thing that is read: why it cannot be, a placeholder, or the thing. */
export const OpenedPage = ({
  error,
  isRead,
  onRetry,
  children,
}: {
  error: unknown
  isRead: boolean
  onRetry: () => void
  children: ReactNode
}) => (
  <div className="page stack">
    <FailureNotice error={error}>
      <Button size="small" onClick={onRetry}>
        Try again
      </Button>
    </FailureNotice>
    {!error && !isRead && <Skeleton height={360} />}
    {children}
  </div>
)
