import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'

/** Starts the service in this process, which then lives as long as the server does. */
export const serve = async (context: Context, { json = false }: GlobalOptions): Promise<number> => {
  const server = await context.loadServer()
  await server.main({ json })
  return exitCodes.ok
}
