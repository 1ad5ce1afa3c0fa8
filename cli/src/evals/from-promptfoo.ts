import { createGathering, type Expected, type Imported, isRecord, toTexts } from './imported.ts'

// Reads a configuration of promptfoo: each test is a case. Its prompt, with the variables filled in, is the input, and its assertions
// are expectations. An assertion without a counterpart is reported.

type Row = Record<string, unknown>
type Gathering = ReturnType<typeof createGathering>

const fill = (template: string, variables: Row): string =>
  template.replaceAll(/\{\{\s*([\w.]+)\s*\}\}/g, (whole, name: string) => {
    const value = variables[name]
    return value === undefined ? whole : typeof value === 'string' ? value : JSON.stringify(value)
  })

const questionNames = ['question', 'query', 'input', 'prompt', 'message']

const findInput = (prompts: unknown, variables: Row): string | undefined => {
  const [template] = toTexts(prompts)
  if (template !== undefined && !template.startsWith('file:')) return fill(template, variables)
  const texts = Object.entries(variables).filter(([, value]) => typeof value === 'string')
  const named = texts.find(([name]) => questionNames.includes(name)) ?? (texts.length === 1 ? texts[0] : undefined)
  return named?.[1] as string | undefined
}

/** The sorts of assertions that become expectations: which, and whether case counts. */
const sorts: Record<
  string,
  {
    field: 'answer' | 'contains' | 'notContains' | 'pattern'
    type: 'equals' | 'contains' | 'not_contains' | 'regex'
    ignoreCase: boolean
  }
> = {
  equals: { field: 'answer', type: 'equals', ignoreCase: false },
  contains: { field: 'contains', type: 'contains', ignoreCase: false },
  'contains-all': { field: 'contains', type: 'contains', ignoreCase: false },
  icontains: { field: 'contains', type: 'contains', ignoreCase: true },
  'icontains-all': { field: 'contains', type: 'contains', ignoreCase: true },
  'not-contains': { field: 'notContains', type: 'not_contains', ignoreCase: false },
  'not-icontains': { field: 'notContains', type: 'not_contains', ignoreCase: true },
  regex: { field: 'pattern', type: 'regex', ignoreCase: false },
}

const listAssertions = (test: Row): Row[] => (Array.isArray(test.assert) ? test.assert.filter(isRecord) : [])

/** Case counts for a sort of grader if any assertion of the file says so: it is stricter. */
const findStrict = (tests: readonly Row[]): Set<string> =>
  new Set(
    tests.flatMap(listAssertions).flatMap(({ type }) => {
      const sort = sorts[String(type)]
      return sort && !sort.ignoreCase ? [sort.type] : []
    }),
  )

type Checked = {
  type: string
  sort: (typeof sorts)[string] | undefined
  values: readonly string[]
  expected: Expected
  strict: Set<string>
}

/** Why an assertion has no counterpart; undefined if it has one. */
const findProblem = ({ type, sort, values, expected, strict }: Checked): string | undefined => {
  if (!sort) return `assertions of the type ${type} have no counterpart`
  if (values.length === 0) return `the value of ${type} is no text`
  if (sort.ignoreCase && strict.has(sort.type))
    return `${type} ignores case, and another assertion of this sort does not`
  const isSingle = sort.field === 'answer' || sort.field === 'pattern'
  return isSingle && expected[sort.field] !== undefined ? `a case has one ${type}` : undefined
}

const addAssertion = (
  gathering: Gathering,
  { assertion, expected, place, strict }: { assertion: Row; expected: Expected; place: string; strict: Set<string> },
): void => {
  const type = String(assertion.type)
  const sort = sorts[type]
  const values = toTexts(assertion.value)
  const problem = findProblem({ type, sort, values, expected, strict })
  if (!sort || problem !== undefined) {
    gathering.report(place, problem ?? type)
    return
  }
  if (sort.field === 'contains' || sort.field === 'notContains')
    expected[sort.field] = [...(expected[sort.field] ?? []), ...values]
  else expected[sort.field] = values[0]
  gathering.grade({ type: sort.type, ignoreCase: !strict.has(sort.type) })
}

/** Reads a parsed configuration of promptfoo. */
export const fromPromptfoo = (config: Row): Imported => {
  const gathering = createGathering()
  const { imported, report, add } = gathering
  if (typeof config.description === 'string') imported.name = config.description
  const defaults = isRecord(config.defaultTest) ? config.defaultTest : {}
  const given = Array.isArray(config.tests) ? config.tests : []
  if (given.length === 0) report('tests', 'the file has no list of tests')
  const tests = given.map((test) => (isRecord(test) ? test : {}))
  const strict = findStrict([defaults, ...tests])
  for (const [index, test] of tests.entries()) {
    const place = `tests[${index}]`
    const variables = { ...(isRecord(defaults.vars) ? defaults.vars : {}), ...(isRecord(test.vars) ? test.vars : {}) }
    const input = findInput(config.prompts, variables)
    if (input === undefined) {
      report(place, 'it has no prompt, and no variable that is clearly the question')
      continue
    }
    const expected: Expected = {}
    const assertions = [...listAssertions(defaults), ...listAssertions(test)]
    for (const [number, assertion] of assertions.entries())
      addAssertion(gathering, { assertion, expected, place: `${place}.assert[${number}]`, strict })
    if (Object.keys(expected).length === 0) {
      report(place, 'nothing of its assertions is left')
      continue
    }
    add(test.description, index + 1, { input, expected })
  }
  return imported
}
