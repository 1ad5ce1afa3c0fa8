import type { EvalDefinition } from '@noema/contracts/evals.ts'
import type { Clock } from '../../../shared/clock.ts'
import { findTrace, newSpanId, toSpanId } from '../../../shared/tracing/trace-context.ts'
import type { Tracer } from '../../../shared/tracing/tracer.ts'
import type { LeasedEvalRun, ResultRow } from './types.ts'

// Reports grades to the operator's collector as events of OpenTelemetry's conventions for generative AI, in the trace of the run that
// was graded. Texts of cases, answers and reasons are not among them.

type Deps = { tracer: Pick<Tracer, 'add' | 'isKept'> | undefined; clock: Clock }

/** Emits the grades of results that are done. Never throws, and waits for nothing. */
export const emitResults = (
  { tracer, clock }: Deps,
  { run, definition }: { run: Pick<LeasedEvalRun, 'id' | 'evalId'>; definition: EvalDefinition },
  results: readonly ResultRow[],
): void => {
  if (!tracer) return
  const endedAt = clock.now().getTime()
  for (const { state, runId, caseId, trial, grades, milliseconds } of results) {
    const graded = { id: runId ?? run.id, traceparent: null }
    const traceId = findTrace(graded)
    if (state !== 'done' || !tracer.isKept(traceId)) continue
    tracer.add({
      traceId,
      spanId: newSpanId(),
      parentSpanId: runId === null ? undefined : toSpanId(runId),
      isParentRemote: false,
      name: 'evaluate',
      kind: 'internal',
      startedAt: endedAt - (runId === null ? (milliseconds ?? 0) : 0),
      endedAt,
      error: undefined,
      attributes: {
        'noema.eval.id': run.evalId,
        'noema.eval.run.id': run.id,
        'noema.eval.case.id': caseId,
        'noema.eval.trial': trial,
        'noema.eval.graders': definition.graders.length,
      },
      events: grades.map(({ grader, passed, score }) => ({
        name: 'gen_ai.evaluation.result',
        attributes: {
          'gen_ai.evaluation.name': grader,
          'gen_ai.evaluation.score.value': score,
          'gen_ai.evaluation.score.label': passed ? 'pass' : 'fail',
        },
      })),
    })
  }
}
