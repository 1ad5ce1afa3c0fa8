import type { ReactNode } from 'react'
import { Status } from '../components/badge.tsx'
import { Button } from '../components/button.tsx'
import type { Upload } from './use-uploads.ts'
import '../styles/documents.css'

const uploadTones = {
  written: 'good',
  failed: 'danger',
  pending: 'warning',
  waiting: 'neutral',
  sending: 'info',
} as const

type UploadsProps = {
  uploads: readonly Upload[]
  onClear: () => void
  /** The link to what a file became. */
  toLink: (id: string, name: string) => ReactNode
}

/** The state of each uploaded file, newest first. Nothing if there are none. */
export const Uploads = ({ uploads, onClear, toLink }: UploadsProps) => {
  if (uploads.length === 0) return null
  const done = uploads.filter(({ state }) => state !== 'waiting' && state !== 'sending').length
  return (
    <div className="uploads">
      <p role="status">
        {done} of {uploads.length} files <progress max={uploads.length} value={done} aria-label="Uploaded files" />
        {done === uploads.length && (
          <Button size="small" tone="quiet" onClick={onClear}>
            Clear
          </Button>
        )}
      </p>
      <ul>
        {uploads.map(({ key, name, state, id, version, error }) => (
          <li key={key}>
            <Status state={state} tone={uploadTones[state]} />
            {id === undefined ? <span>{name}</span> : toLink(id, name)}
            {version !== undefined && <span className="muted">version {version}</span>}
            {error !== undefined && <span className="problem">{error}</span>}
          </li>
        ))}
      </ul>
    </div>
  )
}
