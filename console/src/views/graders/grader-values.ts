import type { BodyInput } from '@noema/contracts/endpoint.ts'
import type { patchEval } from '@noema/contracts/evals.ts'
import type { Grader } from '@noema/contracts/graders.ts'

// A grader while it is edited: inputs have texts. `former` keeps what no line of a text can say, as long as its text is not touched.

export type GraderType = Grader['type']
export type NewGrader = NonNullable<BodyInput<typeof patchEval>['graders']>[number]

export type GraderValues = {
  type: GraderType
  name: string
  weight: string
  /** The answer, the pattern, the texts, items or called tools, one a line, or the question. */
  text: string
  notCalled: string
  schema: string
  ignoresCase: boolean
  metric: 'recall' | 'precision' | 'ndcg'
  top: string
  threshold: string
  min: string
  is: '' | 'strong' | 'weak' | 'none'
  maxCents: string
  maxSeconds: string
  hours: string
  rubric: string
  judge: string
  former?: Grader
}

type Item = NonNullable<Extract<Grader, { type: 'not_found' }>['items']>[number]

/** A line such as `document refunds`, or `record ada @people` for an item of one Brain. */
export const toItemLine = ({ type, id, brain }: Item): string =>
  `${type} ${id}${brain === undefined ? '' : ` @${brain}`}`

const toLines = (texts: readonly string[] = []): string => texts.join('\n')

const toText = (grader: Grader): string => {
  switch (grader.type) {
    case 'equals':
      return grader.value ?? ''
    case 'contains':
    case 'not_contains':
      return toLines(grader.values)
    case 'regex':
      return grader.pattern ?? ''
    case 'found':
    case 'not_found':
      return toLines(grader.items?.map(toItemLine))
    case 'operations':
      return toLines(grader.called)
    case 'person':
      return grader.question ?? ''
    default:
      return ''
  }
}

/** A grader of a type without anything in it. */
export const newGrader = (type: GraderType): GraderValues => ({
  ...{ type, name: '', weight: '', text: '', notCalled: '', schema: '', ignoresCase: type !== 'regex' },
  ...{ metric: 'recall', top: '', threshold: '', min: '', is: '', maxCents: '', maxSeconds: '', hours: '' },
  ...{ rubric: '', judge: '' },
})

const toNumberText = (number: number | undefined): string => (number === undefined ? '' : String(number))

/** The values of an existing grader. */
export const toGraderValues = (grader: Grader): GraderValues => ({
  ...newGrader(grader.type),
  ...{ name: grader.name ?? '', weight: toNumberText(grader.weight), text: toText(grader), former: grader },
  ...('ignoreCase' in grader && grader.ignoreCase !== undefined && { ignoresCase: grader.ignoreCase }),
  ...('threshold' in grader && { threshold: toNumberText(grader.threshold) }),
  ...(grader.type === 'found' && { metric: grader.metric ?? 'recall', top: toNumberText(grader.top) }),
  ...(grader.type === 'json_schema' && { schema: JSON.stringify(grader.schema, null, 2) }),
  ...(grader.type === 'cited' && { min: toNumberText(grader.min) }),
  ...(grader.type === 'evidence' && { is: grader.is ?? ('' as const) }),
  ...(grader.type === 'operations' && { notCalled: toLines(grader.notCalled) }),
  ...(grader.type === 'limits' && {
    maxCents: toNumberText(grader.maxCostCents),
    maxSeconds: toNumberText(grader.maxMilliseconds && grader.maxMilliseconds / 1_000),
  }),
  ...(grader.type === 'person' && { hours: toNumberText(grader.expiresAfterHours) }),
  ...(grader.type === 'rubric' && { rubric: grader.rubric, judge: grader.judge }),
})

/** The property of a grader that its text is. */
const textNames: Partial<Record<GraderType, string>> = {
  ...{ equals: 'value', contains: 'values', not_contains: 'values', regex: 'pattern' },
  ...{ found: 'items', not_found: 'items', operations: 'called', person: 'question' },
}

/** The positions of the values of a form in its body, for the graders in the list `at`. */
export const toGraderPaths = (at: string, graders: readonly GraderValues[]): Record<string, string> =>
  Object.fromEntries(
    graders.flatMap(({ type }, index) =>
      Object.entries({
        text: textNames[type] ?? 'text',
        ...{ maxCents: 'maxCostCents', maxSeconds: 'maxMilliseconds', hours: 'expiresAfterHours' },
        ...Object.fromEntries(
          ['type', 'name', 'weight', 'notCalled', 'schema', 'metric', 'top', 'threshold', 'min', 'is'].map((name) => [
            name,
            name,
          ]),
        ),
        ...{ rubric: 'rubric', judge: 'judge' },
      }).map(([name, property]): [string, string] => [`${at}[${index}].${name}`, `${at}.${index}.${property}`]),
    ),
  )
