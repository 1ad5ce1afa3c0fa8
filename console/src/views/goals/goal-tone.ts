import type { GoalState } from '@noema/contracts/goals.ts'
import type { Tone } from '../../components/badge.tsx'

const tones: Record<GoalState, Tone> = {
  active: 'info',
  waiting: 'warning',
  paused: 'warning',
  met: 'good',
  blocked: 'danger',
  exhausted: 'danger',
  abandoned: 'neutral',
}

/** The color of the state of a goal. */
export const toneOfGoal = (state: GoalState): Tone => tones[state]
