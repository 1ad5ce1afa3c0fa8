/** Every state of a run, for those who list them and load no schemas. */
export const runStates = ['queued', 'running', 'waiting', 'completed', 'failed', 'abandoned'] as const
