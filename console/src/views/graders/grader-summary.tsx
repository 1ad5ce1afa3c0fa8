import type { Grader } from '@noema/contracts/graders.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { toCost, toDuration } from '../../items/duration.ts'
import { plural } from '../../plural.ts'

// A grader in a line.

const quote = (texts: readonly string[]): string => texts.map((text) => `“${text}”`).join(', ')

const toText = (grader: Grader): string => {
  switch (grader.type) {
    case 'equals':
      return grader.value === undefined ? '' : quote([grader.value])
    case 'contains':
    case 'not_contains':
      return quote(grader.values ?? [])
    case 'regex':
      return grader.pattern ?? ''
    case 'found':
    case 'not_found':
      return (grader.items ?? []).map(({ type, id }) => `${type} ${id}`).join(', ')
    case 'cited':
      return plural(grader.min ?? 1, 'citation')
    case 'evidence':
      return grader.is ?? ''
    case 'operations':
      return [...(grader.called ?? []), ...(grader.notCalled ?? []).map((name) => `not ${name}`)].join(', ')
    case 'limits':
      return [
        ...(grader.maxCostCents === undefined ? [] : [toCost(grader.maxCostCents)]),
        ...(grader.maxMilliseconds === undefined ? [] : [toDuration(grader.maxMilliseconds)]),
      ].join(', ')
    case 'person':
      return grader.question ?? ''
    case 'json_schema':
    case 'rubric':
      return ''
  }
}

const maxText = 200

const Summary = ({ grader }: { grader: Grader }): ReactNode => {
  const { type, name } = grader
  const text = toText(grader).slice(0, maxText)
  return (
    <>
      {name ?? type}
      {name !== undefined && name !== type && <span className="muted"> {type}</span>}
      {type === 'rubric' && (
        <>
          {' '}
          <Link to="/evals" search={{ open: `rubric_${grader.rubric}` }}>
            {grader.rubric}
          </Link>
        </>
      )}
      {text !== '' && <span className="muted"> {text}</span>}
    </>
  )
}

/** Graders, each by its name with what it looks for. */
export const GraderSummaries = ({ graders }: { graders: readonly Grader[] }) => (
  <ul className="graders">
    {graders.map((grader) => (
      <li key={grader.name ?? grader.type}>
        <Summary grader={grader} />
      </li>
    ))}
  </ul>
)
