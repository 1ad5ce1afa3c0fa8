/** Below this size, the call costs more than the collector. */
const minBytes = 16 * 1024

/**
 * Frees the memory of bytes at once, which are empty afterwards. V8 collects the whole heap after some tens of megabytes of buffers, which
 * takes the main thread as long as moving them. Only for bytes that no other code has, and that are not being written anywhere.
 */
export const freeBytes = ({ buffer, length }: Buffer): void => {
  if (length >= minBytes && length === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0)
}
