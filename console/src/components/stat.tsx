import type { ReactNode } from 'react'
import { toAmount } from '../plural.ts'
import type { Tone } from './badge.tsx'

type StatProps = {
  label: string
  value: ReactNode
  hint?: ReactNode
  tone?: Tone /** A `Sparkline`. */
  chart?: ReactNode
}

/** One value with its name. Put several in a `<div className="stats">`. */
export const Stat = ({ label, value, hint, tone = 'neutral', chart }: StatProps) => (
  <div className="stat" data-tone={tone}>
    <p className="stat-label">{label}</p>
    <p className="stat-value">{typeof value === 'number' ? toAmount(value) : value}</p>
    {hint && <p className="stat-hint">{hint}</p>}
    {chart}
  </div>
)
