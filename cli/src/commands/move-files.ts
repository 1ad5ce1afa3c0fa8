import { toSize } from '@noema/contracts/sizes.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'

/** Moves the bytes of all files from PostgreSQL into the S3-compatible store, or back. */
export const moveFiles = async (
  context: Context,
  options: GlobalOptions & { toDatabase?: boolean },
): Promise<number> => {
  const { cwd, env, stdout, stderr } = context
  const to = options.toDatabase ? 'database' : 'store'
  const moved = await (await context.loadFileMoves()).moveFiles({ to, cwd, env })
  if (options.json) await writeJson(stdout, moved)
  else {
    const [from, target] = to === 'store' ? [moved.place, 'the store'] : ['the store', moved.place]
    const what = `${moved.files} ${moved.files === 1 ? 'version' : 'versions'} of files (${toSize(moved.bytes)})`
    await writeLine(stderr, `Moved ${what} from ${from} to ${target}.`)
  }
  return exitCodes.ok
}
