// The stream of a run: parts that are numbered under the run's lease, without reuse, and withdrawn where the attempt that wrote
// them died. So what is stored is at any time what the run's messages say.

export { createPartWriter, type PartWriter } from './part-writer.ts'
export { createPendingParts } from './pending-parts.ts'
export { toEndingParts, toOpeningParts, toOutcomePart, toTaskPart, toToolCallPart } from './run-parts.ts'
export { createStepParts, type StepContent } from './step-parts.ts'
export { appendParts } from './stored-parts.ts'
