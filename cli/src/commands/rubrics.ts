import { putRubric } from '@noema/contracts/rubrics.ts'
import type { Client } from '@noema/sdk'
import { connectClient } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { confirmLoss, parseListLimit, readInput } from '../parse-options.ts'
import { type Column, writeList } from '../table.ts'

type Rubric = Awaited<ReturnType<Client['rubrics']['get']>>['rubric']

const columns: Column<Rubric>[] = [
  { title: 'RUBRIC', value: ({ name }) => name },
  { title: 'VERSION', value: ({ version }) => String(version) },
  { title: 'CRITERIA', value: ({ criteria }) => criteria.map(({ id }) => id).join(', '), shrinks: true },
]

/** Lists the rubrics of the organization and of the service. */
export const listRubrics = async (context: Context, options: GlobalOptions & { limit?: string }): Promise<number> => {
  const { limit, page } = parseListLimit(options.limit)
  const list = connectClient(context, options).rubrics.list({ limit: page }, { signal: context.signal })
  await writeList(context, options, { list, columns, limit, none: 'There is no rubric.' })
  return exitCodes.ok
}

const write = async ({ stdout }: Context, rubric: Rubric, { json }: GlobalOptions): Promise<void> => {
  if (json) return writeJson(stdout, rubric)
  await writeLine(stdout, `${rubric.name}  version ${rubric.version}`)
  for (const { id, text, weight, required } of rubric.criteria)
    await writeLine(stdout, `  ${id}  ${text}  (weight ${weight}${required ? ', required' : ''})`)
}

/** Shows the criteria of a rubric. */
export const showRubric = async (context: Context, name: string, options: GlobalOptions): Promise<number> => {
  const { rubric } = await connectClient(context, options).rubrics.get(name, { signal: context.signal })
  await write(context, rubric, options)
  return exitCodes.ok
}

const readCriteria = async (context: Context, file: string) => {
  const text = await readInput(context, file)
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    throw new UsageError(`${file} is not JSON.`)
  }
  const parsed = putRubric.body.safeParse(Array.isArray(given) ? { criteria: given } : given)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new UsageError(`${file} is no list of criteria: ${issue?.path.join('.')}: ${issue?.message}`)
}

/** Stores a file of criteria as a rubric, or as its next version. */
export const pushRubric = async (
  context: Context,
  { name, file }: { name: string; file: string },
  options: GlobalOptions,
): Promise<number> => {
  const body = await readCriteria(context, file)
  const { rubric } = await connectClient(context, options).rubrics.put(name, body, { signal: context.signal })
  await write(context, rubric, options)
  return exitCodes.ok
}

/** Deletes a rubric, after a yes. */
export const deleteRubric = async (
  context: Context,
  name: string,
  options: GlobalOptions & { yes?: boolean },
): Promise<number> => {
  await confirmLoss(context, options, `Delete the rubric ${name} with its versions? Evals that name it cannot be run.`)
  const answer = await connectClient(context, options).rubrics.delete(name, { signal: context.signal })
  if (options.json) await writeJson(context.stdout, answer)
  return exitCodes.ok
}
