import type { ReactNode } from 'react'

export type Tone = 'neutral' | 'good' | 'warning' | 'danger' | 'info' | 'accent'

/** A highlighted word: a type, a mode, a count. Use a `Status` for a state. */
export const Badge = ({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) => (
  <span className="badge" data-tone={tone}>
    {children}
  </span>
)

// The API's own names of states.
const tones: Readonly<Record<string, Tone>> = {
  active: 'good',
  healthy: 'good',
  ok: 'good',
  live: 'good',
  delivered: 'good',
  completed: 'good',
  succeeded: 'good',
  published: 'good',
  applied: 'good',
  approved: 'good',
  accepted: 'good',
  sent: 'good',
  done: 'good',
  unchanged: 'good',
  running: 'info',
  queued: 'info',
  scheduled: 'info',
  planned: 'info',
  pending: 'warning',
  waiting: 'warning',
  held: 'warning',
  paused: 'warning',
  expired: 'warning',
  stale: 'warning',
  skipped: 'warning',
  open: 'warning',
  changed: 'warning',
  retrying: 'warning',
  failed: 'danger',
  failing: 'danger',
  rejected: 'danger',
  refused: 'danger',
  revoked: 'danger',
  deleted: 'danger',
  dead: 'danger',
}

type StatusProps = {
  /** The API's name of the state, such as `running`, which determines its color. */
  state: string
  tone?: Tone
  /** The label, if it is not the state itself. */
  label?: string
}

/** A state: a colored dot, and always the word. */
export const Status = ({ state, tone, label }: StatusProps) => (
  <span className="status" data-tone={tone ?? tones[state] ?? 'neutral'} data-status={state}>
    {label ?? state.replaceAll('_', ' ')}
  </span>
)
