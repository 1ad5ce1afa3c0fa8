import type { Expectation, Grader } from '@noema/contracts/graders.ts'
import { listMissing } from '../../../shared/text/has-text.ts'
import { canonicalJson } from '../../../shared/text/json.ts'
import type { OutputChecks } from '../../agents/agents/output-checks.ts'
import type { Verdict } from './verdict.ts'

// Graders of the text of an answer. Patterns, schemas and long texts are a tenant's own, so they are tried on the thread that checks
// outputs, for a limited time, organizations in turn.

type Of<Type extends Grader['type']> = Extract<Grader, { type: Type }>
type Checks = Pick<OutputChecks, 'check' | 'match' | 'findMissing'>
type Expected = Exclude<Expectation, string>

/** The most characters of an answer that a pattern or schema is tried on. */
const maxChecked = 256 * 1024

const maxCheckMilliseconds = 100

const toCase = (text: string, ignoreCase: boolean): string => (ignoreCase ? text.toLowerCase() : text)
const toLine = (text: string): string => text.trim().replaceAll(/\s+/g, ' ')

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isSameJson = (one: string, other: string): boolean => {
  const [a, b] = [parse(one), parse(other)]
  return a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b)
}

const show = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)

/** Texts are equal up to spaces; JSON values up to their order of properties. */
export const gradeEquals = (
  { value, ignoreCase = true }: Of<'equals'>,
  { answer }: Expected,
  text: string,
): Verdict => {
  const sought = value ?? answer
  if (sought === undefined) return undefined
  const isSame = toCase(toLine(text), ignoreCase) === toCase(toLine(sought), ignoreCase) || isSameJson(text, sought)
  return isSame ? { score: 1 } : { score: 0, reason: `The answer is not ${show(sought)}.` }
}

/** So many characters in all are read here, which takes a few milliseconds. */
const maxReadHere = 2_000_000

type Searched = { text: string; sought: readonly string[]; ignoreCase: boolean }

/** The texts that an answer does not have; undefined if that took too long. */
const findMissing = async (
  checks: Checks,
  organizationId: string,
  { text, sought, ignoreCase }: Searched,
): Promise<string[] | undefined> => {
  const request = { text: toCase(text, ignoreCase), sought: sought.map((one) => toCase(one, ignoreCase)) }
  const isShort = text.length * sought.length <= maxReadHere
  const missing = isShort ? listMissing(request) : await checks.findMissing(organizationId, request)
  return missing?.map((index) => sought[index] ?? '')
}

const slow: Verdict = { score: 0, reason: 'Finding these texts took longer than it may.' }

/** The score is the share of the texts that are there. */
export const gradeContains = async (
  checks: Checks,
  organizationId: string,
  { grader, expected, text }: { grader: Of<'contains'>; expected: Expected; text: string },
): Promise<Verdict> => {
  const { contains, answer } = expected
  const { values, ignoreCase = true } = grader
  const sought = values ?? contains ?? (answer === undefined ? undefined : [answer])
  if (sought === undefined) return undefined
  const missing = await findMissing(checks, organizationId, { text, sought, ignoreCase })
  if (missing === undefined) return slow
  const [first] = missing
  if (first === undefined) return { score: 1 }
  return { score: 1 - missing.length / sought.length, reason: `The answer does not have ${show(first)}.` }
}

export const gradeNotContains = async (
  checks: Checks,
  organizationId: string,
  { grader, expected, text }: { grader: Of<'not_contains'>; expected: Expected; text: string },
): Promise<Verdict> => {
  const { values, ignoreCase = true } = grader
  const refused = values ?? expected.notContains
  if (refused === undefined) return undefined
  const missing = await findMissing(checks, organizationId, { text, sought: refused, ignoreCase })
  if (missing === undefined) return slow
  const found = refused.find((one) => !missing.includes(one))
  return found === undefined ? { score: 1 } : { score: 0, reason: `The answer has ${show(found)}.` }
}

export const gradePattern = async (
  checks: Checks,
  organizationId: string,
  { grader, expected, text }: { grader: Of<'regex'>; expected: Expected; text: string },
): Promise<Verdict> => {
  const pattern = grader.pattern ?? expected.pattern
  if (pattern === undefined) return undefined
  const { ignoreCase = false } = grader
  const isFound = await checks.match(organizationId, { pattern, ignoreCase, text: text.slice(0, maxChecked) })
  if (isFound === undefined) return { score: 0, reason: 'The pattern is invalid, or took longer than it may.' }
  return isFound ? { score: 1 } : { score: 0, reason: `The answer does not match ${show(pattern)}.` }
}

export const gradeSchema = async (
  checks: Checks,
  organizationId: string,
  { schema }: Of<'json_schema'>,
  text: string,
): Promise<Verdict> => {
  if (text.length > maxChecked) return { score: 0, reason: 'The answer is too long to be checked.' }
  const { checked } = await checks.check(organizationId, { schema, text, milliseconds: maxCheckMilliseconds })
  if (checked === undefined) return { score: 0, reason: 'The schema took longer than it may.' }
  return 'problem' in checked ? { score: 0, reason: checked.problem.slice(0, 1_000) } : { score: 1 }
}
