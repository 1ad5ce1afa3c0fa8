import type { RunPart } from '@noema/contracts/run-stream.ts'
import type { AppDeps } from '../api/app-deps.ts'
import { isRunHidden } from '../api/hidden-items.ts'
import type { Source, StepText } from '../features/agents/messages/answers.ts'
import type { BegunRun, PostCall } from './begin-run.ts'

/** The news of a run, as the streams of OpenAI's API need it. */
export type StepNews =
  | { type: 'text' | 'reasoning'; operationId: string; delta: string }
  /** A step is complete. */
  | { type: 'step'; step: StepText }
  /** An attempt died: its text so far counts no more, and the step begins again. */
  | { type: 'restart' }
  | { type: 'idle' }

type SourcePart = Extract<RunPart, { type: 'source-url' | 'source-document' }>

const toSource = ({ type, sourceId, ...rest }: SourcePart): Source => ({
  ...{ type: 'source', sourceType: type === 'source-url' ? 'url' : 'document', id: sourceId },
  ...rest,
})

/** The id of a piece of text is that of its operation, and a number. */
const toOperationId = (id: string): string => id.slice(0, id.lastIndexOf(':'))

const emptyStep = () => ({ operationId: '', text: '', reasoning: '', sources: [] as Source[] })

/** Follows the steps of a run by the parts of its stream. */
const createSteps = () => {
  let step = emptyStep()
  const close = (): StepNews[] => {
    const closed = step
    step = emptyStep()
    return closed.text === '' ? [] : [{ type: 'step', step: closed }]
  }
  return (part: RunPart): StepNews[] => {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta': {
        const type = part.type === 'text-delta' ? 'text' : 'reasoning'
        step.operationId = toOperationId(part.id)
        step[type] += part.delta
        return [{ type, operationId: step.operationId, delta: part.delta }]
      }
      case 'source-url':
      case 'source-document':
        step.sources.push(toSource(part))
        return []
      case 'data-restart': {
        const hadText = step.text !== ''
        step = emptyStep()
        return hadText ? [{ type: 'restart' }] : []
      }
      case 'finish-step':
        return close()
      default:
        return []
    }
  }
}

/** Reads the news of a run from its beginning to its end. It ends early if the run is interrupted or its caller is. */
export async function* followSteps(
  deps: AppDeps,
  { principal, ...call }: Pick<PostCall, 'principal' | 'isStillAllowed'>,
  { run, signal }: BegunRun,
): AsyncGenerator<StepNews> {
  const read = createSteps()
  const isStillAllowed = async () =>
    (await isRunHidden(deps.db, run, principal.userId)) ? false : call.isStillAllowed()
  for await (const news of await deps.runFeeds.follow(run, { after: 0, signal, isStillAllowed })) {
    if (news === 'ended') return
    if (news.length === 0) yield { type: 'idle' }
    for (const { part } of news) yield* read(JSON.parse(part))
  }
}
