import type { ReactNode } from 'react'

type NoticeProps = { tone?: 'plain' | 'warning' | 'danger' | 'good'; title?: string; children: ReactNode }

/** A few sentences set apart. Screen readers announce a danger at once. */
export const Notice = ({ tone = 'plain', title, children }: NoticeProps) => (
  <div className={`notice ${tone}`} role={tone === 'danger' ? 'alert' : undefined}>
    {title && <p className="notice-title">{title}</p>}
    {children}
  </div>
)

const findDetails = (error: Error): { path: string; message: string }[] =>
  'details' in error && Array.isArray(error.details) ? error.details : []

const readText = (error: Error, name: 'code' | 'requestId'): string | undefined => {
  const value = Object.entries(error).find(([key]) => key === name)?.[1]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The service reports the origin that it received and those that it trusts; the advice depends on the reader. */
const OriginHelp = () => (
  <p>
    Open this console at one of the trusted addresses. Or, if you run the service, add <code>{location.origin}</code> to{' '}
    <code>NOEMA_TRUSTED_ORIGINS</code>, or set <code>NOEMA_PUBLIC_URL</code> to it, and restart the service.
  </p>
)

/** The service's own words are for programs. */
const isSignedOut = (error: Error): boolean => 'kind' in error && error.kind === 'unauthorized'

type FailureNoticeProps = { error: unknown; onRetry?: () => void; children?: ReactNode }

/** Shows an error with the service's message, its details by field, and the request id for the operator's log. */
export const FailureNotice = ({ error, onRetry, children }: FailureNoticeProps) => {
  if (error === undefined || error === null) return null
  const failure = error instanceof Error ? error : new Error(String(error))
  const requestId = readText(failure, 'requestId')
  const details = findDetails(failure).filter(({ message }) => message !== failure.message)
  return (
    <Notice tone="danger">
      <p>{isSignedOut(failure) ? 'You are signed out. Sign in, then try again.' : failure.message}</p>
      {readText(failure, 'code') === 'MISSING_OR_NULL_ORIGIN' && <OriginHelp />}
      {details.map(({ path, message }) => (
        <p key={path + message}>
          <code>{path}</code> {message}
        </p>
      ))}
      {children}
      {onRetry && (
        <button type="button" className="button small" onClick={onRetry}>
          Try again
        </button>
      )}
      {requestId && (
        <p className="small">
          Request <code>{requestId}</code>
        </p>
      )}
    </Notice>
  )
}
