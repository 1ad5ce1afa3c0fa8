import type { Grade } from '@noema/contracts/graders.ts'

/** Grades that passed and give no reason are listed one by one up to this number, and in one line above it. */
const maxQuiet = 3

const isQuiet = ({ passed, reason, criteria }: Grade): boolean => passed && reason === undefined && !criteria

const Decision = ({ grade: { grader, passed, reason, criteria } }: { grade: Grade }) => (
  <li data-passed={passed}>
    <span>{grader}</span>{' '}
    <span className="muted">
      {reason ?? (passed ? 'passed' : 'failed')}
      {criteria?.map((one) => (
        <span key={one.id} className="eval-criterion">
          {one.id}: {one.passed ? 'met' : 'not met'}. {one.reason}
        </span>
      ))}
    </span>
  </li>
)

/** The decision of each grader about an answer, and its reason. */
export const Grades = ({ grades }: { grades: readonly Grade[] }) => {
  const quiet = grades.filter(isQuiet)
  const isLong = quiet.length > maxQuiet
  const listed = isLong ? grades.filter((grade) => !isQuiet(grade)) : grades
  return (
    <ul className="eval-grades">
      {listed.map((grade) => (
        <Decision key={grade.grader} grade={grade} />
      ))}
      {isLong && (
        <li data-passed>
          {quiet.length} passed <span className="muted">{quiet.map(({ grader }) => grader).join(', ')}</span>
        </li>
      )}
    </ul>
  )
}
