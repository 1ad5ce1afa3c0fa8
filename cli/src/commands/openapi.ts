import { findConnection } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, ServiceUnavailable } from '../exit-codes.ts'
import { writeText } from '../output.ts'

/** Prints the OpenAPI document of the service, as it gives it. It needs no key. */
export const printOpenApi = async (context: Context, options: GlobalOptions): Promise<number> => {
  const { baseUrl } = findConnection(context, options)
  const url = `${baseUrl.replace(/\/+$/, '')}/v1/openapi.json`
  const response = await fetch(url, { signal: context.signal }).catch((error: unknown) => {
    context.signal.throwIfAborted()
    throw new ServiceUnavailable(`${url} cannot be reached: ${error instanceof Error ? error.message : String(error)}.`)
  })
  if (!response.ok) throw new ServiceUnavailable(`${url} answered ${response.status}. Is that the address of Noema?`)
  await writeText(context.stdout, `${(await response.text()).trimEnd()}\n`)
  return exitCodes.ok
}
