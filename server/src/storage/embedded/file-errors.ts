/** The system's code of a failed file operation ("ENOENT"), or an empty text. */
export const toErrorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
