import type { ReactNode } from 'react'
import { Icon } from '../../components/icon.tsx'

type StepState = 'done' | 'now' | 'later'

const stateNames: Record<StepState, string> = { done: 'Done', now: 'Next', later: 'Later' }

type StepProps = { number: number; title: string; state: StepState; children?: ReactNode }

/** One step of the first run, ticked when it is done. */
export const Step = ({ number, title, state, children }: StepProps) => (
  <li className="step" data-state={state} aria-current={state === 'now' ? 'step' : undefined}>
    <span className="step-mark" aria-hidden="true">
      {state === 'done' ? <Icon name="check" /> : number}
    </span>
    <div className="step-body">
      <h2>
        {title} <span className="off-screen">({stateNames[state]})</span>
      </h2>
      {children}
    </div>
  </li>
)
