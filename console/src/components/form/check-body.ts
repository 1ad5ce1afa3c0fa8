import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { describeIssue, listProblems } from '@noema/contracts/validation-messages.ts'

// The schema library is larger than the frame of the pages, so the form kit imports this file when a form first gets the focus.

/** The problems of a body, worded and located as the service does. */
export const checkBody = (schema: NonNullable<Endpoint['body']>, body: unknown) => {
  const parsed = schema.safeParse(body, { error: describeIssue })
  return parsed.success
    ? []
    : listProblems(parsed.error.issues, ['body']).map(({ path, message }) => ({ path: path.join('.'), message }))
}
