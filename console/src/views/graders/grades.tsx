import type { Grade } from '@noema/contracts/graders.ts'

/** The decision of each grader about an answer, and its reason. */
export const Grades = ({ grades }: { grades: readonly Grade[] }) => (
  <ul className="eval-grades">
    {grades.map((grade) => (
      <li key={grade.grader} data-passed={grade.passed}>
        <span>{grade.grader}</span>{' '}
        <span className="muted">
          {grade.reason ?? (grade.passed ? 'passed' : 'failed')}
          {grade.criteria?.map((one) => (
            <span key={one.id} className="eval-criterion">
              {one.id}: {one.passed ? 'met' : 'not met'}. {one.reason}
            </span>
          ))}
        </span>
      </li>
    ))}
  </ul>
)
