/** The goal that a task belongs to; undefined if it is the question of a run. */
export const toGoalId = (operationId: string): string | undefined =>
  operationId.startsWith('gol_') ? operationId : undefined
